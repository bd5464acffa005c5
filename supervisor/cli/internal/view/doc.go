// Package view turns what the operator API returns into what a person or a script reads: tables whose guest-written cells cannot
// move a cursor, and JSON with the API's own names.
//
// It promises that no byte a capsule wrote reaches a terminal unescaped. It does not promise that tables keep their columns from
// one version to the next: scripts read JSON.
package view

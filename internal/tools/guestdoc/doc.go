// Command guestdoc writes docs/guest-interface.md, from the repository's root:
//
//	go run ./internal/tools/guestdoc
//
// It promises nothing beyond what package guide does. Authors of ops run it; a test of that package says when.
package main

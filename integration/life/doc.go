// Package life tests how sessions end: what the capsule does to itself, what happens to its process, its supervisor or its parent,
// whenever that is. Each end must have exactly one terminal record, which the parent, the operator and the disk tell alike.
package life

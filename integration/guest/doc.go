// Package guest tests the guest interface on a real host: what a capsule asks for, what it is answered, and what of it reaches its
// parent, its door and its records.
package guest

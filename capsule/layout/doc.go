// Package layout knows where everything lies in a state folder, and makes one.
//
// Promised: every path of a state folder comes from here and nowhere else; a
// folder that [Create] accepts is local, owned by this user, closed to others, and
// either new or made by an earlier Create.
//
// Not promised: that a path exists, and that the names put into one are safe:
// capsule names and ids are checked where they enter (manifest, id), paths made
// from them are opened through capsule/beneath.
//
// Both programs use it. A worker uses only the names within a session's folders:
// it gets descriptors, not paths.
package layout

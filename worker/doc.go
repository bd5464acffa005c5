// Command worker is the process of one capsule. The supervisor's launcher starts it,
// hands it descriptors (see proto/plugin) and one session, and outlives it or not.
//
// Promised: nothing runs before the start gate opens; only the process that listens
// on the inherited host.sock is obeyed; a process that lives to see its session's end
// leaves the records of it; it writes to no descriptor that could block or kill it
// when the supervisor is gone.
//
// Not promised: that it stays within its folders by its own will alone: that is the
// sandbox's part, and the kernel's.
//
// It has two other modes, for the launcher too: "compile" turns the module on
// descriptor 3 into native code on descriptor 4, "engine-key" prints what that code
// depends on and the build.
package main

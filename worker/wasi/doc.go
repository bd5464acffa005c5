// Package wasi is WASI preview 1 for one task of a capsule: all 46 functions, each
// working on the guest's memory as plain bytes and on descriptors that were opened
// for the task beforehand. It knows no engine.
//
// What it promises:
//
//   - A path from the guest reaches nothing outside the preopened directory it was
//     given against. The kernel decides that (openat2, RESOLVE_BENEATH), on every
//     call, so renaming directories under a running call wins nothing. A kernel
//     without openat2 makes New fail; there is no second way to resolve a path.
//   - A read-only preopen cannot be changed through any call, link or rename, and
//     neither can what was opened beneath it.
//   - What is protected within a writable preopen cannot be changed either, whatever
//     path leads to it, and the directories on the way to it stay in their place.
//   - A quota of bytes and names on a preopen holds against everything the guest
//     does, files that are deleted but still open included.
//   - Every wait (sleep, poll, read or write of something that can block) ends when
//     the task's context does, and the guest is then trapped.
//   - A pointer, length or count from the guest is checked before anything is done.
//     A call allocates a bounded amount whatever the guest asks for, and answers
//     carry no byte that was not meant for the guest.
//
// What it does not promise:
//
//   - Changes made to a quota's folder by other processes are noticed only when the
//     file concerned is opened. Names in a directory cost a name, not bytes.
//   - A symbolic link is checked when it is made. Moving it, or a directory on its
//     way, can leave it pointing outside: harmless to guests, not to a program on
//     the host that follows links in a folder a guest can write.
//   - Reading may update access times, also below a read-only preopen.
//   - There are no sockets, signals or terminals.
//
// Who may call it: worker/sandbox, which wires [Funcs] to the engine and makes one
// [Host] for each task. A Host belongs to one goroutine and takes no locks; a
// [Quota] may outlive Hosts but serves one at a time.
package wasi

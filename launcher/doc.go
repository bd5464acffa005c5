// Package launcher runs workers: one process for one session, from its folders to its end.
//
// The calls of one session, in order: [Launcher.Prepare] makes what is needed and runs nothing, so that the URL is known;
// [Prepared.Exec] starts the process behind its gate, so that its pid can be made durable; [Worker.OpenGate] lets it run;
// [Worker.Connect] brings it to its first answer; [Worker.Assign] hands it its session. [Worker.Stop] may come at any time.
// After [Worker.Done]: [Worker.Exit], [Worker.StandIn] and [Worker.CloseDoor], [Worker.Close].
//
// Promised: a process that was started is watched from that moment on, reaped, its group killed, and its end told by Done,
// however it ends and whoever calls what; every call ends with its context or a stated bound, also when the worker is
// stopped, stuck or hostile; a start that fails ends the process and says why by the process's own exit status. The worker
// gets the descriptors of proto/plugin and the environment of compose, nothing of the supervisor's. After Close and CloseDoor
// no process, goroutine, descriptor, socket or folder of the session is left but its records and its work folder.
//
// Not promised: anything about outcomes. The launcher knows processes, not ledgers or policy. A descendant that left the
// worker's process group is not reached, and a process that the kernel cannot end (uninterruptible sleep) is reported, not
// waited for without end.
//
// Only the supervisor may call it. Launcher.mu guards its table, Worker.mu what its calls change, Door.mu the stand-in; Worker.mu
// is taken before Door.mu and before runner's, Launcher.mu alone. None is held across a wait but for what is over at once: the
// stand-in that yields, and in Close the connection to a process that is gone.
package launcher

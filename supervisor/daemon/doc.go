// Package daemon is one supervisor's life: it puts the parts together in the order in which each may rely on the one before, serves,
// and takes them apart again.
//
// It promises that two supervisors never share a state folder, that nothing is started before what an earlier supervisor left is
// concluded and the sockets are served, that a stop ends every tree before the sockets go, and that a second request to stop ends at
// once. It does not decide how sessions end: package delegation does.
package daemon

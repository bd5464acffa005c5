// Package tempdir gives this folder's tests a short-lived folder of their own.
// testing.T's own has a path too long for a socket beneath it.
package tempdir

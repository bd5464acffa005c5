// Package doctor looks at what this machine can enforce: kernel calls, namespaces, limits, disk.
//
// It promises that a look starts no process, changes nothing and takes milliseconds, that every finding which is not good comes with
// what to do about it, and that what is required is exactly what nothing runs without.
//
// It does not promise that what it found is still so later, and it does not try what only a new process could: where the answer is a
// kernel setting, it reads the setting. What a finding is for is said in it, also when this build does not use it yet.
//
// `supervisor doctor` prints it; the daemon looks once at its start, for GetHost.
package doctor

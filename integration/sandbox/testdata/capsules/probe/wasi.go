package main

import (
	"runtime"
	"unsafe"
)

// The functions as the interface has them: Go's own file functions clean a path before they pass it on.

//go:wasmimport wasi_snapshot_preview1 path_open
func wasiOpen(fd int32, lookup int32, path unsafe.Pointer, n int32, oflags int32, rights int64, inheriting int64, fdflags int32, opened unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 path_create_directory
func wasiMkdir(fd int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_remove_directory
func wasiRmdir(fd int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_unlink_file
func wasiUnlink(fd int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_rename
func wasiRename(from int32, old unsafe.Pointer, oldLen int32, to int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_link
func wasiLink(from int32, lookup int32, old unsafe.Pointer, oldLen int32, to int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_symlink
func wasiSymlink(target unsafe.Pointer, targetLen int32, fd int32, path unsafe.Pointer, n int32) int32

//go:wasmimport wasi_snapshot_preview1 path_readlink
func wasiReadlink(fd int32, path unsafe.Pointer, n int32, buf unsafe.Pointer, bufLen int32, used unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 path_filestat_get
func wasiStat(fd int32, lookup int32, path unsafe.Pointer, n int32, buf unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
func wasiTimes(fd int32, lookup int32, path unsafe.Pointer, n int32, atime int64, mtime int64, flags int32) int32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_times
func wasiFileTimes(fd int32, atime int64, mtime int64, flags int32) int32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_size
func wasiSize(fd int32, size int64) int32

//go:wasmimport wasi_snapshot_preview1 fd_allocate
func wasiAllocate(fd int32, offset int64, size int64) int32

//go:wasmimport wasi_snapshot_preview1 fd_write
func wasiWrite(fd int32, vec unsafe.Pointer, n int32, done unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 fd_read
func wasiRead(fd int32, vec unsafe.Pointer, n int32, done unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 fd_readdir
func wasiReaddir(fd int32, buf unsafe.Pointer, n int32, cookie int64, used unsafe.Pointer) int32

//go:wasmimport wasi_snapshot_preview1 fd_close
func wasiClose(fd int32) int32

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func wasiRenumber(fd int32, to int32) int32

//go:wasmimport wasi_snapshot_preview1 poll_oneoff
func wasiPoll(in unsafe.Pointer, out unsafe.Pointer, n int32, events unsafe.Pointer) int32

const (
	follow    = 1
	creat     = 1
	directory = 2
	trunc     = 8
	read      = 1 << 1
	write     = 1 << 6
	setBoth   = 1 | 4 // both times
)

// str is a string as the two arguments it is passed in. The string stays the caller's to keep alive.
func str(s string) (unsafe.Pointer, int32) {
	return unsafe.Pointer(unsafe.StringData(s)), int32(len(s))
}

func open(fd int32, path string, lookup, oflags int32, rights int64) (int32, int32) {
	p, n := str(path)
	opened := int32(-1)
	e := wasiOpen(fd, lookup, p, n, oflags, rights, rights, 0, unsafe.Pointer(&opened))
	runtime.KeepAlive(path)
	return opened, e
}

// vec is an iovec: the interface's pointers have 32 bits, Go's here 64.
type vec struct{ base, n uint32 }

func (v *vec) pointer() unsafe.Pointer { return unsafe.Pointer(v) }

func vecOf(p unsafe.Pointer, n int) vec { return vec{uint32(uintptr(p)), uint32(n)} }

// receive is what a descriptor has to read first.
func receive(fd int32) string {
	buf := make([]byte, 512)
	v := vecOf(unsafe.Pointer(&buf[0]), len(buf))
	var n uint32
	e := wasiRead(fd, v.pointer(), 1, unsafe.Pointer(&n))
	runtime.KeepAlive(buf)
	if e != 0 {
		return ""
	}
	return string(buf[:n])
}

func send(fd int32, text string) int32 {
	v := vecOf(unsafe.Pointer(unsafe.StringData(text)), len(text))
	var n uint32
	e := wasiWrite(fd, v.pointer(), 1, unsafe.Pointer(&n))
	runtime.KeepAlive(text)
	return e
}

// list is the raw listing of a directory: names and whatever else the host put there.
func list(fd int32) string {
	buf := make([]byte, 4096)
	var n uint32
	if wasiReaddir(fd, unsafe.Pointer(&buf[0]), int32(len(buf)), 0, unsafe.Pointer(&n)) != 0 {
		return ""
	}
	return string(buf[:min(int(n), len(buf))])
}

// stat is the size of what a path leads to, -1 for nothing.
func stat(fd, lookup int32, path string) int64 {
	var buf [64]byte
	p, n := str(path)
	e := wasiStat(fd, lookup, p, n, unsafe.Pointer(&buf[0]))
	runtime.KeepAlive(path)
	if e != 0 {
		return -1
	}
	return *(*int64)(unsafe.Pointer(&buf[32]))
}

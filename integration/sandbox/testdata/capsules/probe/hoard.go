package main

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Hoarded is how much a guest got before it was refused, and by which code.
type Hoarded struct {
	Got     int
	Refused int32
}

const million = 1_000_000

// openForever opens a million files and closes none.
func openForever() Hoarded {
	h := Hoarded{}
	for i := range million {
		_, e := open(work, fmt.Sprint("open-", i%10), follow, creat, read|write)
		if e != 0 {
			h.Refused = e
			continue
		}
		h.Got++
	}
	return h
}

// makeForever makes a million files, closing each.
func makeForever() Hoarded {
	h := Hoarded{}
	for i := range million {
		opened, e := open(work, fmt.Sprint("made-", i), follow, creat, write)
		if e != 0 {
			h.Refused = e
			continue
		}
		wasiClose(opened)
		h.Got++
	}
	return h
}

// fillForever writes to one file until it is refused.
func fillForever() Hoarded {
	opened, e := open(work, "full", follow, creat, write)
	if e != 0 {
		return Hoarded{Refused: e}
	}
	block := strings.Repeat("x", 4096)
	h := Hoarded{}
	for h.Refused == 0 {
		h.Refused = send(opened, block)
		h.Got += len(block)
	}
	return h
}

// flood writes a gibibyte to each of its outputs.
func flood() {
	block := strings.Repeat(strings.Repeat("x", 63)+"\n", 1<<14)
	for range 1 << 10 {
		send(1, block)
		send(2, block)
	}
}

// pollForever waits for a FIFO, or an hour.
func pollForever() int32 {
	opened, e := open(work, "pipe", follow, 0, read)
	if e != 0 {
		return e
	}
	var in [2][48]byte
	*(*uint64)(unsafe.Pointer(&in[0][24])) = 3_600_000_000_000 // a clock, relative
	*(*uint32)(unsafe.Pointer(&in[0][16])) = 1
	in[1][8] = 1 // a descriptor to read
	*(*int32)(unsafe.Pointer(&in[1][16])) = opened
	var out [2][32]byte
	var n uint32
	e = wasiPoll(unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0]), 2, unsafe.Pointer(&n))
	runtime.KeepAlive(in)
	return e
}

package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

const (
	wasi   = "wasi_snapshot_preview1"
	inval  = 28
	noSys  = 52
	notSup = 58
)

// shadow replaces what the engine's WASI does wrong: see each row.
func (e *engine) shadow() error {
	rows := []struct {
		name, params string
		f            hostFunc
	}{
		{"poll_oneoff", "iiii", poll},            // cannot be cancelled
		{"random_get", "ii", random},             // allocates as much as the guest asks for
		{"fd_renumber", "ii", refuse(notSup)},    // GHSA-fm79-3f68-h2fc, GHSA-3p27-qvp9-27qf
		{"path_symlink", "iiiii", refuse(noSys)}, // GHSA-vqjp-4c8c-hfgg
		{"path_link", "iiiiiii", refuse(noSys)},  // the same
		{"proc_raise", "i", refuse(noSys)},
		{"sock_accept", "iii", refuse(notSup)},
		{"sock_recv", "iiiiii", refuse(notSup)},
		{"sock_send", "iiiii", refuse(notSup)},
		{"sock_shutdown", "ii", refuse(notSup)},
	}
	for _, row := range rows {
		if err := e.define(wasi, row.name, row.params, "i", row.f); err != nil {
			return err
		}
	}
	return nil
}

func refuse(errno int32) hostFunc {
	return func(*run, []byte, []wasmtime.Val) (wasmtime.Val, error) { return wasmtime.ValI32(errno), nil }
}

func random(_ *run, mem []byte, a []wasmtime.Val) (wasmtime.Val, error) {
	b, ok := slice(mem, u32(a[0]), u32(a[1]))
	if !ok {
		return wasmtime.Val{}, outOfBounds
	}
	_, err := rand.Read(b)
	return wasmtime.ValI32(0), err
}

// poll waits for the earliest clock; a subscription to a descriptor is ready at once,
// since all that a guest can open is a file.
func poll(r *run, mem []byte, a []wasmtime.Val) (wasmtime.Val, error) {
	const subscription, event = 48, 32
	n := u32(a[2])
	if n == 0 || n > 4096 {
		return wasmtime.ValI32(inval), nil
	}
	in, ok := slice(mem, u32(a[0]), n*subscription)
	out, okOut := slice(mem, u32(a[1]), n*event)
	count, okCount := slice(mem, u32(a[3]), 4)
	if !ok || !okOut || !okCount {
		return wasmtime.ValI32(inval), nil
	}
	wait, clocks := time.Duration(-1), 0
	for i := range n {
		s := in[i*subscription:]
		if s[8] != 0 {
			wait = 0
			continue
		}
		d := time.Duration(min(binary.LittleEndian.Uint64(s[24:]), 1<<62))
		if s[40]&1 != 0 { // an absolute time
			d = max(0, d-clock(binary.LittleEndian.Uint32(s[16:])))
		}
		if clocks++; wait < 0 || d < wait {
			wait = d
		}
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.ctx.Done():
			return wasmtime.Val{}, r.ctx.Err()
		}
	}
	events := uint32(0)
	for i := range n {
		s := in[i*subscription:]
		if s[8] == 0 && clocks < int(n) && wait == 0 {
			continue
		}
		o := out[events*event:][:event]
		clear(o)
		copy(o[:8], s[:8])
		o[10] = s[8]
		events++
	}
	binary.LittleEndian.PutUint32(count, events)
	return wasmtime.ValI32(0), nil
}

var started = time.Now()

func clock(id uint32) time.Duration {
	if id == 0 {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Since(started)
}

package wasm_test

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
	"rookery/worker/internal/wasm"
	"rookery/worker/ops"
	"rookery/worker/tasks"
	"rookery/worker/trace"
)

// A guest that makes whatever calls its input says: a count, then for each call the six
// numbers that it passes on, then bytes for them to point at.
const hostileGuest = `(module
	(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
	(import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
	(import "murmur" "take" (func $take (param i32 i32) (result i32)))
	(memory (export "memory") 4)
	(data (i32.const 0) "\00\04\00\00\00\f0\03\00")
	(func (export "_start") (local $at i32) (local $left i32)
		(drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
		(local.set $left (i32.load (i32.const 1024)))
		(local.set $at (i32.const 1028))
		(block $done (loop $next
			(br_if $done (i32.eqz (local.get $left)))
			(drop (call $call (i32.load (local.get $at)) (i32.load offset=4 (local.get $at))
				(i32.load offset=8 (local.get $at)) (i32.load offset=12 (local.get $at))))
			(drop (call $take (i32.load offset=16 (local.get $at)) (i32.load offset=20 (local.get $at))))
			(local.set $at (i32.add (local.get $at) (i32.const 24)))
			(local.set $left (i32.sub (local.get $left) (i32.const 1)))
			(br $next)))))`

// where the guest's input lies in its memory, and how much of it there is.
const (
	inputAt  = 1024
	inputMax = 0x3f000
)

// call is what one murmur.call and its take are given.
type call struct{ op, opLen, req, reqLen, dst, dstLen uint32 }

// input is what makes the guest do these calls.
func input(calls []call, data []byte) []byte {
	in := binary.LittleEndian.AppendUint32(nil, uint32(len(calls)))
	for _, c := range calls {
		for _, n := range []uint32{c.op, c.opLen, c.req, c.reqLen, c.dst, c.dstLen} {
			in = binary.LittleEndian.AppendUint32(in, n)
		}
	}
	return append(in, data...)
}

// dataAt is where the bytes behind so many calls lie in the guest's memory.
func dataAt(calls int) uint32 { return inputAt + 4 + 24*uint32(calls) }

// honest is a call of the op and the request that stand in the data at these places.
func honest(calls, opAt, opLen, reqAt, reqLen int) call {
	at := dataAt(calls)
	return call{at + uint32(opAt), uint32(opLen), at + uint32(reqAt), uint32(reqLen), 0x3ff00, 64}
}

// yard is what the hostile guest meets: all ops, a work folder, and a supervisor that
// starts whatever it is asked for.
type yard struct {
	executor *wasm.Executor
	link     *hostlink.Link
	work     *beneath.Dir
}

func newYard(tb testing.TB) *yard {
	tb.Helper()
	y := &yard{executor: load(tb, hostileGuest), work: temp(tb)}
	host := hosttest.Start(tb, hosttest.Answers{})
	link, err := hostlink.Open(context.Background(), hostlink.Config{Path: host.Path, Log: zerolog.Nop()})
	require.NoError(tb, err)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		assert.NoError(tb, link.Close(ctx))
	})
	y.link = link
	require.NoError(tb, os.WriteFile(y.work.Name()+"/f", []byte("text"), 0o600))
	return y
}

func temp(tb testing.TB) *beneath.Dir {
	tb.Helper()
	path, err := os.MkdirTemp("", "rk")
	require.NoError(tb, err)
	dir, err := beneath.Open(path)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		dir.Close()
		require.NoError(tb, os.RemoveAll(path))
	})
	return dir
}

// meet runs the guest once and holds the host to its promise: it answers or traps the
// guest, in time, and lives.
func (y *yard) meet(tb testing.TB, stdin []byte) {
	tb.Helper()
	records := temp(tb)
	w, err := trace.Create(records, "ses_1", func(err error) { assert.NoError(tb, err) })
	require.NoError(tb, err)
	pieces := ops.NewArtifacts(records, "tsk_1")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var calls *ops.Calls
	calls = ops.New(ctx, ops.Config{
		Assigned: &workerv1.AssignRequest{
			Session: &workerv1.Session{SessionId: "ses_1"}, Task: &workerv1.Task{TaskId: "tsk_1", ContextId: "ctx_1"},
			Grants: &workerv1.Grants{SpawnAllow: []string{"c"}},
		},
		Link: y.link, Children: ops.NewChildren(w, ""), Events: ops.NewEvents(), Task: live.New("tsk_1", "ctx_1"), Artifacts: pieces,
		Trace: w, Delegated: true, Stop: func(cause string) { calls.Cancel(cause) }, Work: y.work, GuestLog: io.Discard, Log: zerolog.Nop(),
	})
	before := time.Now()
	result := y.executor.Run(ctx, tasks.Work{Stdin: stdin, WorkFD: y.work.FD(), RuntimeFD: -1}, calls)
	assert.Less(tb, time.Since(before), 5*time.Second, "the guest was not stopped")
	assert.True(tb, result.Exited || result.Canceled || strings.HasPrefix(result.Detail, "trap: "), result.Detail)
	_, err = pieces.Text()
	require.NoError(tb, err, "the record is whole")
	require.NoError(tb, pieces.Close())
	require.NoError(tb, w.Close())
}

// requests are well-formed ones for the fuzzer to begin with.
var requests = []string{
	`{}`, `{"level":"info","message":"m"}`, `{"parts":[{"text":"t"},{"data":[1]},{"file":"f"}],"artifact_id":"a","append":true}`,
	`{"state":"completed","parts":[{"text":"t"}]}`, `{"prompt":"p","timeout_secs":0.001}`, `{"after":18446744073709551615,"timeout_secs":0}`,
	`{"capsule":"c","version":"1","task":"t","request_key":"k"}`, `{"delegation_ids":["dlg_x"]}`, `{"delegation_id":"x","kinds":["cancel"]}`,
}

func FuzzAGuestThatCallsAnything(f *testing.F) {
	y := newYard(f)
	for _, r := range ops.References() {
		for _, request := range requests {
			f.Add(r.Name, []byte(request), uint32(0), uint32(8), uint32(0x3ff00), uint32(300))
		}
	}
	f.Add("self", []byte(`{}`), uint32(1<<32-1), uint32(2), uint32(1<<18), uint32(0))
	f.Add("self", []byte(strings.Repeat(`[`, 10_000)), uint32(1<<18), uint32(0), uint32(0), uint32(1<<32-1))
	f.Fuzz(func(t *testing.T, op string, request []byte, ptr, n, dst, dstLen uint32) {
		if len(op)+len(request) > inputMax/2 {
			return
		}
		good := honest(3, 0, len(op), len(op), len(request))
		calls := []call{good, {good.op, good.opLen, ptr, n, dst, dstLen}, {ptr, n, good.req, good.reqLen, dst, dstLen}}
		y.meet(t, input(calls, append([]byte(op), request...)))
	})
}

// mutilated is a request with some of its bytes changed, doubled or lost.
func mutilated(random *rand.Rand, request string) []byte {
	b := []byte(request)
	for range random.IntN(4) {
		at := random.IntN(len(b) + 1)
		switch random.IntN(4) {
		case 0:
			b = append(b[:at:at], append([]byte{byte(random.IntN(256))}, b[at:]...)...)
		case 1:
			b = append(b[:at:at], append([]byte(request), b[at:]...)...)
		case 2:
			b = b[:at]
		case 3:
			b = append(b[:at:at], append([]byte{`{}[]",:0e\`[random.IntN(10)]}, b[at:]...)...)
		}
	}
	return b
}

func TestTheHostKeepsNothingOfGuestsThatCallAnything(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	random := rand.New(rand.NewPCG(3, 17))
	names := []string{"nothing"}
	for _, r := range ops.References() {
		names = append(names, r.Name)
	}
	meet := func(times int) {
		for range times {
			op, request := names[random.IntN(len(names))], mutilated(random, requests[random.IntN(len(requests))])
			good := honest(2, 0, len(op), len(op), len(request))
			wild := call{random.Uint32() >> random.IntN(20), random.Uint32() >> random.IntN(32), good.req, good.reqLen, random.Uint32() >> 14, random.Uint32() >> 14}
			y.meet(t, input([]call{good, wild}, append([]byte(op), request...)))
		}
	}
	meet(50)
	before := heap()
	meet(150)
	assert.Less(t, heap(), before+16<<20, "bytes held by the host; before it were %d", before)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

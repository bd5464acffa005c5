package bench

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// many is how many delegations a host knows when it is asked for all of them, and how many cycles of start and end it goes through.
const many = 1000

// BenchmarkList is a look at a host that knows a thousand ended delegations, each with an answer of 64 KiB, and two live workers:
//
//	list      all delegations over the API, in pages, as `supervisor delegations` asks for them
//	sessions  all sessions, as `tree` asks for them
//	tree      `supervisor tree --all` as a terminal shows it, the whole process
//
// The rows …-stopped are the same while one of the workers is under SIGSTOP. The baseline of the process is `supervisor version`, that
// of the calls is GetHost, which gives counts alone. The rows of memory are the supervisor's own: before, with all these delegations, and a
// new supervisor on the same ledger.
func BenchmarkList(b *testing.B) {
	probe := newProbe(b)
	h := probe.up(b, roomy())
	var f figures
	note := func(row string) {
		f.memory(row, memoryOf(b, h.PID()))
		f.set(row, "heap-MB", megabytes(probe.ask(b, h).Heap))
	}
	note("memory-new")
	answered(b, h, many)
	note("memory-answers")

	launch(b, h, "widow", "1 sleep")
	live := running(b, h, 2)
	stopped := int(live[1].GetPid())
	r := measure(b, func(r *rows) {
		look(b, h, r, "")
		require.NoError(b, syscall.Kill(stopped, syscall.SIGSTOP))
		rig.Until(b, bound, "the worker has come to a halt", func() bool { return rig.Stopped(stopped) })
		look(b, h, r, "-stopped")
		require.NoError(b, syscall.Kill(stopped, syscall.SIGCONT))
	})
	r.report(b, map[string]string{
		"list": "counts", "sessions": "counts", "tree": "version", "list-stopped": "list", "sessions-stopped": "sessions", "tree-stopped": "tree",
	})
	require.Zero(b, h.Stop())
	h.Again(rig.Env("ROOKERY_PROBE=" + probe.path))
	require.Len(b, h.Delegations(), many+1)
	note("memory-again")
	f.report(b)
}

// answered makes that many delegations that leave 64 KiB each, some at a time.
func answered(b *testing.B, h *rig.Host, n int) {
	b.Helper()
	var parents []*operatorv1.Session
	const atOnce = 4
	for range atOnce {
		parents = append(parents, launch(b, h, "widow", task(n/atOnce, "big-answer")))
	}
	for _, parent := range parents {
		ended(b, h, parent)
	}
}

func look(b *testing.B, h *rig.Host, r *rows, suffix string) {
	b.Helper()
	timed := func(row string, what func()) {
		begun := time.Now()
		what()
		r.add(row+suffix, time.Since(begun))
	}
	timed("counts", func() {
		answer, err := h.API.GetHost(b.Context(), &operatorv1.GetHostRequest{})
		require.NoError(b, err)
		require.EqualValues(b, many, answer.GetDelegationsEnded())
	})
	timed("list", func() { require.Len(b, h.Delegations(), many+1) })
	timed("sessions", func() { require.Greater(b, len(h.Sessions()), many) })
	timed("version", func() { require.Zero(b, h.CLI("version").Code) })
	timed("tree", func() { require.Zero(b, h.CLI("tree", "--all", "-o", "table").Code) })
}

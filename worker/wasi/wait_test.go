package wasi

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// late is how long after its reason a wait may return on a busy machine.
const late = 2 * time.Second

// sub is one subscription as the guest writes it.
type sub struct {
	userdata uint64
	kind     byte
	fd       uint32 // or the clock
	timeout  uint64
	flags    uint16
}

type event struct {
	userdata uint64
	errno    Errno
	kind     byte
	bytes    uint64
	flags    uint16
}

func (g *guest) poll(subs ...sub) ([]event, Errno, error) {
	g.t.Helper()
	in := memory(make([]byte, sizeOfSubscription*len(subs)))
	for i, s := range subs {
		at := uint32(i * sizeOfSubscription)
		in.put64(at, s.userdata)
		in[at+8] = s.kind
		in.put32(at+16, s.fd)
		in.put64(at+24, s.timeout)
		in.put16(at+40, s.flags)
	}
	dirty := make([]byte, sizeOfEvent*len(subs))
	for i := range dirty {
		dirty[i] = 0xee
	}
	out := g.put(dirty)
	e, err := g.try("poll_oneoff", g.put(in), out, uint64(len(subs)), result)
	if e != Success || err != nil {
		return nil, e, err
	}
	var events []event
	for i := range g.u32(result) {
		at, m := uint32(out)+i*sizeOfEvent, memory(g.mem)
		require.Zero(g.t, m[at+11]|m[at+12]|m[at+15]|m[at+26]|m[at+31], "padding")
		events = append(events, event{m.u64(at), Errno(m.u16(at + 8)), m[at+10], m.u64(at + 16), m.u16(at + 24)})
	}
	return events, e, err
}

// soon ends the task a little after something has begun to wait.
func soon(t *testing.T) (context.Context, error) {
	t.Helper()
	cause := errors.New("the deadline")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, cause)
	t.Cleanup(cancel)
	return ctx, cause
}

func requireCanceled(t *testing.T, start time.Time, err, cause error) {
	t.Helper()
	var c *CanceledError
	require.ErrorAs(t, err, &c)
	require.ErrorIs(t, err, cause)
	require.Less(t, time.Since(start), late)
}

func TestASleepTakesItsTime(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	now, _ := clock(clockMonotonic)
	begun := time.Now()
	for i, s := range []sub{
		{7, eventClock, clockMonotonic, 20e6, 0},
		{7, eventClock, clockRealtime, 20e6, 0},
		{7, eventClock, clockMonotonic, now + 60e6, clockAbsolute},
	} {
		start := time.Now()
		events, e, err := g.poll(s, sub{8, eventClock, clockMonotonic, math.MaxUint64, 0})
		require.NoError(t, err)
		require.Equal(t, Success, e)
		require.Equal(t, []event{{userdata: 7}}, events)
		require.GreaterOrEqual(t, time.Since(begun), time.Duration(i+1)*20*time.Millisecond)
		require.Less(t, time.Since(start), late)
	}
}

func TestATimeThatHasPassedDoesNotWait(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, s := range []sub{
		{1, eventClock, clockMonotonic, 0, 0}, {1, eventClock, clockRealtime, 1, clockAbsolute},
	} {
		events, _, err := g.poll(s, s)
		require.NoError(t, err)
		require.Len(t, events, 2)
	}
}

func TestEveryWaitEndsWithTheTask(t *testing.T) {
	t.Parallel()
	const hour = uint64(time.Hour)
	for name, wait := range map[string]func(g *guest, fifo uint64) error{
		"a sleep of an hour": func(g *guest, _ uint64) error {
			_, _, err := g.poll(sub{0, eventClock, clockMonotonic, hour, 0})
			return err
		},
		"a sleep until the end of time": func(g *guest, _ uint64) error {
			_, _, err := g.poll(sub{0, eventClock, clockRealtime, math.MaxUint64, clockAbsolute})
			return err
		},
		"a poll on a FIFO": func(g *guest, fifo uint64) error {
			_, _, err := g.poll(sub{0, eventRead, uint32(fifo), 0, 0})
			return err
		},
		"a read from a FIFO": func(g *guest, fifo uint64) error {
			v, c := g.vec([2]uint32{0, 64})
			_, err := g.try("fd_read", fifo, v, c, result)
			return err
		},
		"writes to a FIFO that nobody reads": func(g *guest, _ uint64) error {
			fd, e := g.open(work, "fifo", 0, allRights, 0)
			require.Equal(t, Success, e)
			v, c := g.vec([2]uint32{0, 1 << 19})
			for {
				if _, err := g.try("fd_write", fd, v, c, result); err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cause := soon(t)
			g := newGuest(t, withContext(ctx))
			require.NoError(t, unix.Mkfifo(filepath.Join(g.work, "fifo"), 0o600))
			fifo, e := g.open(work, "fifo", 0, uint64(rightRead), 0)
			require.Equal(t, Success, e, "opening a FIFO does not wait for its writer")
			start := time.Now()
			requireCanceled(t, start, wait(g, fifo), cause)
			requireCanceled(t, time.Now(), wait(g, fifo), cause) // and ever after
		})
	}
}

func TestAFIFODelivers(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	path := filepath.Join(g.work, "fifo")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	_, e := g.open(work, "fifo", 0, uint64(rightWrite), 0)
	require.Equal(t, NXIO, e, "nobody reads")
	fifo, e := g.open(work, "fifo", 0, uint64(rightRead), fdNonblock)
	require.Equal(t, Success, e)
	_, e = g.receive(fifo, 10)
	require.Equal(t, Again, e, "nobody wrote yet: not the end of the file")
	w, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	_, e = g.receive(fifo, 10)
	require.Equal(t, Again, e, "the guest asked not to wait")
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", fifo, 0))

	sent := make(chan error, 1)
	go func() { _, err := unix.Write(w, []byte("hello")); sent <- err }()
	events, _, err := g.poll(sub{5, eventRead, uint32(fifo), 0, 0}, sub{6, eventClock, clockMonotonic, uint64(time.Hour), 0})
	require.NoError(t, err)
	require.Equal(t, []event{{userdata: 5, kind: eventRead, bytes: 1}}, events)
	text, e := g.receive(fifo, 10)
	require.Equal(t, Success, e)
	require.Equal(t, "hello", text)
	require.NoError(t, <-sent)
	require.NoError(t, unix.Close(w))
	events, _, err = g.poll(sub{5, eventRead, uint32(fifo), 0, 0})
	require.NoError(t, err)
	require.Equal(t, []event{{userdata: 5, kind: eventRead, flags: hangup}}, events)
	text, e = g.receive(fifo, 10)
	require.Equal(t, Success, e)
	require.Empty(t, text, "end of file")
	for _, name := range []string{"fd_seek", "fd_tell", "fd_advise"} {
		args := append([]uint64{fifo}, make([]uint64, len(rows[name].Params)-1)...)
		require.Equal(t, SPipe, g.call(name, args...), name)
	}
	v, c := g.vec([2]uint32{0, 1})
	require.Equal(t, SPipe, g.call("fd_pread", fifo, v, c, 0, result))
}

func TestPollTellsAtOnceWhatNeedsNoWaiting(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withStdin("task"))
	fd := g.create("f")
	g.send(fd, "0123456789")
	g.ok("fd_seek", fd, 4, seekSet, result)
	events, e, err := g.poll(
		sub{1, eventRead, 0, 0, 0}, sub{2, eventWrite, 1, 0, 0}, sub{3, eventRead, uint32(fd), 0, 0},
		sub{4, eventWrite, uint32(fd), 0, 0}, sub{5, eventRead, 99, 0, 0}, sub{6, eventRead, work, 0, 0},
		sub{7, eventWrite, 0, 0, 0}, sub{8, eventClock, clockProcess, 5, 0}, sub{9, eventClock, 77, 5, 0},
		sub{10, eventClock, clockMonotonic, uint64(time.Hour), 0},
	)
	require.NoError(t, err)
	require.Equal(t, Success, e)
	require.Equal(t, []event{
		{userdata: 1, kind: eventRead, bytes: 4}, {userdata: 2, kind: eventWrite, bytes: streamBuffer},
		{userdata: 3, kind: eventRead, bytes: 6}, {userdata: 4, kind: eventWrite, bytes: 6},
		{userdata: 5, kind: eventRead, errno: BadF}, {userdata: 6, kind: eventRead, errno: BadF},
		{userdata: 7, kind: eventWrite, errno: BadF}, {userdata: 8, errno: NotSup}, {userdata: 9, errno: Inval},
	}, events)
}

func TestPollRefusesWhatItCannotMean(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.Equal(t, Inval, g.call("poll_oneoff", 0, 0, 0, result))
	require.Equal(t, Inval, g.call("poll_oneoff", 0, 0, maxSubscriptions+1, result))
	require.Equal(t, Inval, g.call("poll_oneoff", 0, 0, 1<<32-1, result))
	for _, s := range []sub{{kind: 3}, {kind: 255}, {kind: eventClock, flags: 2}} {
		_, e, err := g.poll(s)
		require.NoError(t, err)
		require.Equal(t, Inval, e)
	}
}

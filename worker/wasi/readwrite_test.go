package wasi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestReadsAndWritesScatterOverManyBuffers(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd := g.create("f")
	text := g.put([]byte("abcdefghij"))
	at := uint32(text)
	v, c := g.vec([2]uint32{at, 3}, [2]uint32{0, 0}, [2]uint32{at + 3, 0}, [2]uint32{at + 3, 7})
	require.EqualValues(t, 10, g.ok("fd_write", fd, v, c, result))
	require.Equal(t, "abcdefghij", g.read("work/f"))

	to := uint32(g.put(make([]byte, 32)))
	v, c = g.vec([2]uint32{to + 4, 4}, [2]uint32{0, 0}, [2]uint32{to + 12, 100})
	require.EqualValues(t, 8, g.ok("fd_pread", fd, v, c, 2, result))
	require.Equal(t, "\x00\x00\x00\x00cdef\x00\x00\x00\x00ghij\x00\x00\x00\x00", string(g.mem[to:to+20]))
	require.EqualValues(t, 10, g.position(fd))

	require.Zero(t, g.h.niov, "nothing of the guest's memory is remembered")
	v, c = g.vec([2]uint32{at, 2})
	require.EqualValues(t, 2, g.ok("fd_pwrite", fd, v, c, 12, result))
	require.Zero(t, g.h.niov)
	require.Equal(t, "abcdefghij\x00\x00ab", g.read("work/f"))
	require.EqualValues(t, 10, g.position(fd))
}

func (g *guest) position(fd uint64) uint64 {
	g.t.Helper()
	g.ok("fd_tell", fd, result)
	return g.u64(result)
}

func TestManyEmptyBuffersAreNotTheEndOfTheFile(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "x")
	fd, e := g.open(work, "f", 0, uint64(rightRead), 0)
	require.Equal(t, Success, e)
	bufs := make([][2]uint32, maxVecs+1)
	bufs[maxVecs] = [2]uint32{uint32(g.put([]byte{0})), 1}
	v, c := g.vec(bufs...)
	require.EqualValues(t, 1, g.ok("fd_read", fd, v, c, result))
}

func TestHostileBufferListsAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd := g.create("f")
	end := uint32(len(g.mem))
	for name, bufs := range map[string][][2]uint32{
		"past the end":             {{0, 4}, {end - 3, 4}},
		"at the end":               {{0, 4}, {end, 1}},
		"far":                      {{1<<32 - 1, 1}},
		"a length that wraps":      {{8, 1<<32 - 1}},
		"both":                     {{1<<32 - 1, 1<<32 - 1}},
		"an empty one outside":     {{0, 4}, {end + 1, 0}},
		"the last of very many":    append(make([][2]uint32, 200), [2]uint32{end, 1}),
		"beyond the transfer size": {{0, 1 << 19}, {end - 1, 2}},
	} {
		for _, target := range []uint64{fd, 1, 2} {
			v, c := g.vec(bufs...)
			require.Equal(t, Fault, g.call("fd_write", target, v, c, result), name)
		}
		v, c := g.vec(bufs...)
		require.Equal(t, Fault, g.call("fd_pwrite", fd, v, c, 0, result), name)
		require.Equal(t, Fault, g.call("fd_read", fd, v, c, result), name)
		require.Equal(t, Fault, g.call("fd_read", 0, v, c, result), name)
	}
	require.Equal(t, Fault, g.call("fd_write", fd, uint64(end)-8, 2, result))
	require.Equal(t, Inval, g.call("fd_write", fd, 0, maxGuestVecs+1, result))
	require.Equal(t, Inval, g.call("fd_read", fd, 0, 1<<32-1, result))
	require.Empty(t, g.read("work/f"))
	require.Empty(t, g.stdout.String()+g.stderr.String())
	require.Zero(t, g.h.niov, "nothing of the guest's memory is remembered")
}

func TestMoreBuffersThanOneCallTakesGiveAShortCount(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd := g.create("f")
	bufs := make([][2]uint32, maxGuestVecs)
	for i := range bufs {
		bufs[i] = [2]uint32{uint32(i), 1}
	}
	v, c := g.vec(bufs...)
	require.EqualValues(t, maxVecs, g.ok("fd_write", fd, v, c, result))
}

func TestOneCallMovesABoundedAmount(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.mem = append(g.mem, make([]byte, 8<<20)...)
	fd := g.create("f")
	v, c := g.vec([2]uint32{0, 8 << 20}, [2]uint32{0, 8<<20 - 5}, [2]uint32{0, 10}, [2]uint32{0, 10})
	require.EqualValues(t, maxTransfer, g.ok("fd_write", fd, v, c, result))
	require.EqualValues(t, maxTransfer, g.position(fd))
}

func TestStdinIsTheTask(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withStdin("the task"))
	for _, want := range []string{"the t", "ask", "", ""} {
		got, e := g.receive(0, 5)
		require.Equal(t, Success, e)
		require.Equal(t, want, got)
	}
	_, e := g.send(0, "x")
	require.Equal(t, BadF, e)
}

func TestStderrIsWrittenBeforeTheCallReturnsAndStdoutLater(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	n, e := g.send(2, "now\n")
	require.Equal(t, Success, e)
	require.Equal(t, 4, n)
	require.Equal(t, "now\n", g.stderr.String())
	g.send(1, "later\n")
	require.Empty(t, g.stdout.String())
	_, _, err := g.poll(sub{0, eventClock, clockMonotonic, 1, 0})
	require.NoError(t, err)
	require.Equal(t, "later\n", g.stdout.String(), "a wait writes it")
	g.send(1, "synced\n")
	require.Equal(t, Success, g.call("fd_sync", 1))
	g.send(1, "closed\n")
	require.Equal(t, Success, g.call("fd_close", 1))
	require.Equal(t, "later\nsynced\nclosed\n", g.stdout.String())
	_, e = g.send(1, "x")
	require.Equal(t, BadF, e)
	_, e = g.receive(2, 5)
	require.Equal(t, BadF, e)
}

// written is a writer for two goroutines that tells of each write.
type written chan string

func (w written) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func TestStdoutOfAGuestThatComputesIsWrittenAfterAWhile(t *testing.T) {
	t.Parallel()
	out := make(written, 1)
	s := &stream{w: out, delay: time.Millisecond}
	for _, text := range []string{"one\n", "two\n"} {
		b := []byte(text)
		require.Equal(t, Success, s.write([]unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}))
		require.Equal(t, text, <-out)
	}
	require.NoError(t, s.close())
	s.overdue() // a timer that fired too late to be stopped
	require.Empty(t, out)
}

func TestStdoutIsWrittenWhenTheHostWantsIt(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.send(1, "before a call\n")
	require.Empty(t, g.stdout.String())
	g.h.Flush()
	require.Equal(t, "before a call\n", g.stdout.String())
}

func TestMuchOutputArrivesWholeAndInOrder(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	want := &strings.Builder{}
	for i := range 40 {
		part := strings.Repeat(string(rune('a'+i%26)), i*i*50)
		n, e := g.send(1, part)
		require.Equal(t, Success, e)
		require.Equal(t, len(part), n)
		want.WriteString(part)
	}
	require.Equal(t, Success, g.call("fd_datasync", 1))
	require.Equal(t, want.String(), g.stdout.String())
}

type full struct{ err error }

func (w full) Write([]byte) (int, error) { return 0, w.err }

func TestALogThatFailsIsAnErrorToTheGuestAndToClose(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk is gone")
	h, err := New(Config{Ctx: t.Context(), Stderr: full{broken}})
	require.NoError(t, err)
	g := &guest{t: t, h: h, mem: make([]byte, 1<<16), next: 1024}
	_, e := g.send(2, "x")
	require.Equal(t, IO, e)
	_, e = g.send(1, "discarded")
	require.Equal(t, Success, e)
	require.ErrorIs(t, h.Close(), broken)
}

func TestSeeking(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd := g.create("f")
	g.send(fd, "0123456789")
	seek := func(off int64, whence uint64) Errno { return g.call("fd_seek", fd, uint64(off), whence, result) }
	for _, c := range []struct {
		off    int64
		whence uint64
		want   Errno
		pos    uint64
	}{
		{3, seekSet, Success, 3}, {2, seekCur, Success, 5}, {-5, seekCur, Success, 0}, {-1, seekCur, Inval, 0},
		{-1, seekSet, Inval, 0}, {-3, seekEnd, Success, 7}, {-11, seekEnd, Inval, 7}, {100, seekEnd, Success, 110},
		{maxOffset, seekSet, Success, maxOffset}, {1, seekCur, Inval, maxOffset}, {maxOffset, seekCur, Inval, maxOffset},
		{0, 3, Inval, maxOffset}, {0, 1<<32 - 1, Inval, maxOffset}, {-1 << 63, seekEnd, Inval, maxOffset}, {8, seekSet, Success, 8},
	} {
		require.Equal(t, c.want, seek(c.off, c.whence), "%+v", c)
		require.Equal(t, c.pos, g.position(fd), "%+v", c)
	}
	text, _ := g.receive(fd, 10)
	require.Equal(t, "89", text)
	v, n := g.vec([2]uint32{0, 1})
	require.Equal(t, Inval, g.call("fd_pread", fd, v, n, 1<<63, result))
	require.Equal(t, Inval, g.call("fd_pwrite", fd, v, n, 1<<64-1, result))
	require.Equal(t, Success, seek(maxOffset, seekSet))
	_, e := g.send(fd, "x")
	require.Contains(t, []Errno{FBig, Inval}, e)
	for _, dir := range []string{"fd_seek", "fd_tell"} {
		args := append([]uint64{work}, make([]uint64, len(rows[dir].Params)-1)...)
		require.Equal(t, BadF, g.call(dir, args...), "a directory has no position")
	}
}

func TestAppending(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "start")
	fd, e := g.open(work, "f", 0, allRights, fdAppend)
	require.Equal(t, Success, e)
	g.send(fd, "-a")
	require.EqualValues(t, 7, g.position(fd))
	g.ok("fd_seek", fd, 0, seekSet, result)
	text, _ := g.receive(fd, 3)
	require.Equal(t, "sta", text)
	g.send(fd, "-b")
	require.Equal(t, "start-a-b", g.read("work/f"))
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", fd, 0))
	g.ok("fd_seek", fd, 0, seekSet, result)
	g.send(fd, "S")
	require.Equal(t, "Start-a-b", g.read("work/f"))
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", fd, fdAppend|fdNonblock))
	g.send(fd, "-c")
	require.Equal(t, "Start-a-b-c", g.read("work/f"))
	for _, flags := range []uint64{fdDsync, fdRsync, fdSyncAll} {
		require.Equal(t, NotSup, g.call("fd_fdstat_set_flags", fd, flags))
	}
	require.Equal(t, Inval, g.call("fd_fdstat_set_flags", fd, 32))
}

func TestOnlyWhatWasAskedForCanBeDone(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "text")
	reader, _ := g.open(work, "f", 0, uint64(rightRead|rightAllocate|rightFilestatSetSize), 0)
	writer, _ := g.open(work, "f", 0, uint64(rightWrite), 0)
	none, _ := g.open(work, "f", 0, 0, 0)
	_, e := g.send(reader, "x")
	require.Equal(t, BadF, e)
	require.Equal(t, BadF, g.call("fd_filestat_set_size", reader, 0), "Go asks for this right always")
	_, e = g.receive(writer, 1)
	require.Equal(t, BadF, e)
	_, e = g.receive(none, 1)
	require.Equal(t, BadF, e)
	_, e = g.send(none, "x")
	require.Equal(t, BadF, e)
	_, e = g.send(work, "x")
	require.Equal(t, IsDir, e)
	_, e = g.receive(work, 1)
	require.Equal(t, IsDir, e)
	require.Equal(t, Success, g.call("fd_filestat_set_size", writer, 2))
	require.Equal(t, "te", g.read("work/f"))
	require.Equal(t, Inval, g.call("fd_filestat_set_size", writer, 1<<63))
	require.Equal(t, Inval, g.call("fd_allocate", writer, 0, 0))
	require.Equal(t, Inval, g.call("fd_allocate", writer, 1<<63, 1))
	require.Equal(t, FBig, g.call("fd_allocate", writer, maxOffset, 1))
	require.Equal(t, BadF, g.call("fd_allocate", work, 0, 1))
}

func TestSyncAndAdvise(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd := g.create("f")
	for _, name := range []string{"fd_sync", "fd_datasync"} {
		require.Equal(t, Success, g.call(name, fd))
		require.Equal(t, Success, g.call(name, work), "an O_PATH descriptor cannot be synced itself")
		require.Equal(t, Success, g.call(name, frozen))
		require.Equal(t, Inval, g.call(name, 0))
	}
	for advice := range uint64(6) {
		require.Equal(t, Success, g.call("fd_advise", fd, 0, 10, advice))
	}
	require.Equal(t, Inval, g.call("fd_advise", fd, 0, 10, 6))
	require.Equal(t, Inval, g.call("fd_advise", fd, 1<<63, 10, 0))
	require.Equal(t, Inval, g.call("fd_advise", fd, 0, 1<<63, 0))
	require.Equal(t, BadF, g.call("fd_advise", work, 0, 0, 0))
	require.Equal(t, SPipe, g.call("fd_advise", 0, 0, 0, 0))
}

func TestHugeFilesAreNotMadeByAccident(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withQuota(NewQuota(1<<20, 10)))
	fd := g.create("f")
	v, c := g.vec([2]uint32{0, 1})
	require.Equal(t, DQuot, g.call("fd_pwrite", fd, v, c, 1<<40, result))
	require.Equal(t, DQuot, g.call("fd_filestat_set_size", fd, 1<<40))
	require.Equal(t, DQuot, g.call("fd_allocate", fd, 0, 1<<40))
	require.Equal(t, DQuot, g.call("fd_allocate", fd, 1<<62, 1))
	i, err := os.Stat(filepath.Join(g.work, "f"))
	require.NoError(t, err)
	require.Zero(t, i.Size())
}

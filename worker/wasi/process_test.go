package wasi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestArgumentsAndEnvironmentAreHandedOver(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, c := range []struct {
		prefix string
		want   []string
	}{
		{"args", []string{"guest", "one"}},
		{"environ", []string{"A=1", "B=two"}},
	} {
		require.Equal(t, Success, g.call(c.prefix+"_sizes_get", result, result+4))
		require.EqualValues(t, len(c.want), g.u32(result))
		size := g.u32(result + 4)
		index, text := g.put(make([]byte, 16)), g.put(make([]byte, 64))
		require.Equal(t, Success, g.call(c.prefix+"_get", index, text))
		all := ""
		for i, w := range c.want {
			at := g.u32(uint32(index) + uint32(4*i))
			require.Equal(t, w+"\x00", string(g.mem[at:int(at)+len(w)+1]))
			all += w + "\x00"
		}
		require.EqualValues(t, len(all), size)
	}
}

func TestClocks(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.Equal(t, Success, g.call("clock_time_get", clockRealtime, 0, result))
	require.InDelta(t, time.Now().UnixNano(), g.u64(result), float64(time.Minute))
	last := uint64(0)
	for range 1000 {
		require.Equal(t, Success, g.call("clock_time_get", clockMonotonic, 1<<63, result))
		require.GreaterOrEqual(t, g.u64(result), last)
		last = g.u64(result)
		require.NotZero(t, last)
	}
	for _, id := range []uint64{clockRealtime, clockMonotonic} {
		require.Equal(t, Success, g.call("clock_res_get", id, result))
		require.EqualValues(t, 1, g.u64(result))
	}
	for _, name := range []string{clockNames[0], clockNames[1]} {
		args := []uint64{clockProcess, result}
		if name == "clock_time_get" {
			args = []uint64{clockThread, 0, result}
		}
		require.Equal(t, NotSup, g.call(name, args...))
		args[0] = 4
		require.Equal(t, Inval, g.call(name, args...))
	}
}

var clockNames = []string{"clock_res_get", "clock_time_get"}

func TestRandomFillsTheWholeBufferAndNothingElse(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	const n = 3*randomChunk + 7
	at := g.put(make([]byte, n+8))
	require.Equal(t, Success, g.call("random_get", at, n))
	zeros := 0
	for _, b := range g.mem[at : at+n] {
		if b == 0 {
			zeros++
		}
	}
	require.InDelta(t, n/256, zeros, n/512)
	require.Equal(t, make([]byte, 8), g.mem[at+n:at+n+8])
}

func TestRandomEndsWithTheTask(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	g := newGuest(t, withContext(ctx))
	cause := errors.New("deadline 600s")
	cancel(cause)
	_, err := g.try("random_get", 0, 1<<20)
	var c *CanceledError
	require.ErrorAs(t, err, &c)
	require.ErrorIs(t, err, cause)
	require.Equal(t, "canceled: deadline 600s", err.Error())
}

func TestExitTrapsWithItsCodeAndWritesWhatWasBuffered(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	_, e := g.send(1, "last words")
	require.Equal(t, Success, e)
	_, err := g.try("proc_exit", 1<<32|42)
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.EqualValues(t, 42, exit.Code)
	require.Equal(t, "exit 42", err.Error())
	require.Equal(t, "last words", g.stdout.String())
}

func TestSignalsAndSocketsAreNotThere(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.Equal(t, NotSup, g.call("proc_raise", 9))
	file := g.create("f")
	for _, fd := range []uint64{0, 1, work, file} {
		require.Equal(t, NotSock, g.call("sock_accept", fd, 0, result))
		require.Equal(t, NotSock, g.call("sock_recv", fd, 0, 0, 0, result, result))
		require.Equal(t, NotSock, g.call("sock_send", fd, 0, 0, 0, result))
		require.Equal(t, NotSock, g.call("sock_shutdown", fd, 3))
	}
}

func TestNewRefusesAConfigThatCannotWork(t *testing.T) {
	t.Parallel()
	dir := openDir(t, scratch(t))
	pre := func(p Preopen) Config { return Config{Ctx: t.Context(), Preopens: []Preopen{p}} }
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"no context":        {Config{}, "no context"},
		"a NUL in a value":  {Config{Ctx: t.Context(), Env: []string{"A=\x00"}}, "NUL"},
		"a closed preopen":  {pre(Preopen{FD: -1, Name: "."}), "bad file descriptor"},
		"a preopen unnamed": {pre(Preopen{FD: dir}), "1 to 4095 bytes"},
		"a preopened file":  {pre(Preopen{FD: openFile(t), Name: "."}), "not a directory"},
		"too many preopens": {Config{Ctx: t.Context(), Preopens: many(dir, maxFiles)}, "the limit is 1021"},
		"a name with a NUL": {pre(Preopen{FD: dir, Name: "a\x00"}), "no NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(c.config)
			require.ErrorContains(t, err, c.want)
		})
	}
}

package runner

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bound is the longest that any wait of these tests may take.
const bound = 10 * time.Second

// pipe is an output and the end that the process would have.
func pipe(t *testing.T) (*output, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { read.Close(); write.Close() })
	return newOutput(read), write
}

// rest reads an output to its end, which must come.
func rest(t *testing.T, o *output) []byte {
	t.Helper()
	all := make(chan []byte, 1)
	go func() {
		text, err := io.ReadAll(o)
		assert.NoError(t, err)
		all <- text
	}()
	select {
	case text := <-all:
		return text
	case <-time.After(bound):
		require.Fail(t, "the output has no end")
		return nil
	}
}

func TestAnOutputEndsWithItsPipe(t *testing.T) {
	t.Parallel()
	o, process := pipe(t)
	_, err := process.WriteString("1|1|unix|…\n")
	require.NoError(t, err)
	process.Close()
	assert.Equal(t, "1|1|unix|…\n", string(rest(t, o)))
	said, ended := o.spoken()
	assert.Equal(t, "1|1|unix|…\n", string(said))
	assert.True(t, ended)
}

func TestAnOutputEndsWithItsProcessThoughTheDescriptorIsHeld(t *testing.T) {
	t.Parallel()
	o, process := pipe(t)
	_, err := process.WriteString("last words")
	require.NoError(t, err)
	o.end()
	assert.Equal(t, "last words", string(rest(t, o)), "what is in the pipe is not lost")
	_, ended := o.spoken()
	assert.True(t, ended)
}

func TestACutOutputEndsAtOnce(t *testing.T) {
	t.Parallel()
	o, process := pipe(t)
	ended := make(chan []byte)
	go func() {
		text, _ := io.ReadAll(o)
		ended <- text
	}()
	o.cut()
	select {
	case text := <-ended:
		assert.Empty(t, text)
	case <-time.After(bound):
		require.Fail(t, "the reader waits on")
	}
	_, byItself := o.spoken()
	assert.False(t, byItself)
	_, err := process.WriteString("later")
	require.NoError(t, err)
	assert.Empty(t, rest(t, o))
}

func TestNoMoreOfAnOutputIsReadThanAHandshakeNeeds(t *testing.T) {
	t.Parallel()
	o, process := pipe(t)
	go func() {
		for {
			if _, err := process.Write(bytes.Repeat([]byte("chat\n"), 1000)); err != nil {
				return // the test is over
			}
		}
	}()
	assert.Len(t, rest(t, o), maxOutput)
	said, ended := o.spoken()
	assert.Len(t, said, maxSaid)
	assert.False(t, ended)
}

func TestTheLibraryMayAskForNothingThatWasNotTold(t *testing.T) {
	t.Parallel()
	given := []string{"A=1", "PLUGIN_UNIX_SOCKET_DIR=/ours"}
	require.NoError(t, sameEnv([]string{"A=1", "PLUGIN_UNIX_SOCKET_DIR=/theirs"}, given))
	require.EqualError(t, sameEnv([]string{"A=2"}, given), "the plugin library asks for A, which the worker was not given")
	require.EqualError(t, sameEnv([]string{"A=1", "NEW=x"}, given), "the plugin library asks for NEW, which the worker was not given")
}

func TestOnlyASocketInTheRunFolderIsDialled(t *testing.T) {
	t.Parallel()
	p := &process{run: "/state/run/w/0badcafe"}
	network, address, err := p.PluginToHost("unix", "/sock/plugin123")
	require.NoError(t, err)
	assert.Equal(t, "unix", network)
	assert.Equal(t, "/state/run/w/0badcafe/plugin123", address)
	for _, bad := range [][2]string{{"tcp", "127.0.0.1:1"}, {"unix", ""}, {"unix", "/"}, {"unix", "/a/.."}, {"unix", "."}, {"", "plugin1"}} {
		_, _, err := p.PluginToHost(bad[0], bad[1])
		assert.Error(t, err, "%v", bad)
	}
}

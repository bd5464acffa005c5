package bench

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// watcher is told by the kernel what happens to a file, or to the names in a folder.
type watcher struct{ events *os.File }

// watch begins to watch for the events of mask, see inotify(7).
func watch(b *testing.B, path string, mask uint32) watcher {
	b.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	require.NoError(b, err)
	w := watcher{os.NewFile(uintptr(fd), "inotify")}
	_, err = unix.InotifyAddWatch(fd, path, mask)
	require.NoError(b, err)
	require.NoError(b, w.events.SetReadDeadline(time.Now().Add(bound)))
	return w
}

// seen waits for an event of that name, "" for the watched file itself, and says when it was read. It ends the watch.
func (w watcher) seen(name string) (time.Time, error) {
	defer w.events.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := w.events.Read(buffer)
		at := time.Now()
		if err != nil {
			return at, err
		}
		for event := buffer[:n]; len(event) >= unix.SizeofInotifyEvent; {
			// struct inotify_event: wd, mask, cookie, len, then len bytes of a name that is filled up with zeros.
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(event[12:]))
			if string(bytes.TrimRight(event[unix.SizeofInotifyEvent:size], "\x00")) == name {
				return at, nil
			}
			event = event[size:]
		}
	}
}

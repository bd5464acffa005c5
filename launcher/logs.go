package launcher

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/linelog"
)

// maxWorkerLog is the size beyond which a worker's own log is emptied. The guest's two logs are bounded by the worker, line
// by line; the worker's own can be written by native code that knows no bound.
const maxWorkerLog = linelog.DefaultMaxBytes

// logs are a session's log files, held by the supervisor. The worker's descriptors are others, of the same files, opened for
// appending only: what the supervisor holds cannot be moved or reopened by it.
type logs struct {
	worker      *os.File // for reading and for emptying
	guestStderr *os.File // for reading

	// What the worker inherits, closed after the exec.
	forWorker, forStdout, forStderr *os.File
}

// openLogs makes the three log files in the records folder.
func openLogs(records *beneath.Dir) (l logs, err error) {
	if err := records.MkdirAll(layout.LogsDir, 0o700); err != nil {
		return logs{}, fmt.Errorf("logs: %w", err)
	}
	const appending = unix.O_WRONLY | unix.O_APPEND
	for _, log := range []struct {
		into  **os.File
		name  string
		flags int
	}{
		{&l.forWorker, layout.WorkerLog, appending | unix.O_CREAT},
		{&l.forStdout, layout.GuestStdoutLog, appending | unix.O_CREAT},
		{&l.forStderr, layout.GuestStderrLog, appending | unix.O_CREAT},
		{&l.worker, layout.WorkerLog, unix.O_RDWR | unix.O_APPEND},
		{&l.guestStderr, layout.GuestStderrLog, unix.O_RDONLY},
	} {
		if *log.into, err = records.OpenFile(log.name, log.flags, 0o600); err != nil {
			return logs{}, errors.Join(fmt.Errorf("logs: %w", err), l.close())
		}
	}
	return l, nil
}

// handedOver closes what the worker has inherited.
func (l *logs) handedOver() error {
	return closeAll(&l.forWorker, &l.forStdout, &l.forStderr)
}

func (l *logs) close() error {
	return errors.Join(l.handedOver(), closeAll(&l.worker, &l.guestStderr))
}

// sweep empties the worker's log when it has grown beyond its bound, and says so in it.
func (l *logs) sweep() error {
	info, err := l.worker.Stat()
	if err != nil || info.Size() <= maxWorkerLog {
		return err
	}
	if err := l.worker.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.worker, "[log cut: %d bytes dropped, a worker may write %d]\n", info.Size(), maxWorkerLog)
	return err
}

func closeAll(files ...**os.File) error {
	var failed []error
	for _, file := range files {
		if *file != nil {
			failed = append(failed, (*file).Close())
			*file = nil
		}
	}
	return errors.Join(failed...)
}

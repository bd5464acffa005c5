package operator

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
	"rookery/supervisor/records"
)

// lookEvery is how often a followed file is looked at: soon enough for a person, and two system calls.
const lookEvery = 200 * time.Millisecond

// TailLogs sends a log's lines. It reads the file as anybody could: neither the capsule nor its worker notices, or can hold it up.
func (s *Server) TailLogs(q *operatorv1.TailLogsRequest, out grpc.ServerStreamingServer[operatorv1.TailLogsResponse]) error {
	row, err := s.either(q.GetSessionId())
	if err != nil {
		return err
	}
	f := follower{server: s, session: row.ID, dir: row.RecordsDir, name: records.LogFile(q.GetSource()), lines: int(q.GetLines()), out: out}
	defer f.close()
	changes, stop := s.ledger.Watch()
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for last := !q.GetFollow(); ; {
		// Looked at first: what is read after the end is all there will be.
		last = last || f.ended()
		if err := f.send(); err != nil {
			return err
		}
		if last {
			return f.rest()
		}
		last, err = f.wait(tick.C, changes)
		if err != nil {
			return err
		}
	}
}

// follower is one call of TailLogs.
type follower struct {
	server  *Server
	session string
	dir     string
	name    string
	lines   int
	tail    *records.Tail // nil until there is a records folder
	out     grpc.ServerStreamingServer[operatorv1.TailLogsResponse]
}

func (f *follower) close() {
	if f.tail != nil {
		_ = f.tail.Close() // it was only read
	}
}

func (f *follower) ended() bool {
	s, ok := f.server.ledger.Session(f.session)
	return !ok || s.State == ledger.Ended
}

// send sends what is there and was not sent yet.
func (f *follower) send() error {
	if found, err := f.open(); !found {
		return err
	}
	for {
		lines, restarted, err := f.tail.Next()
		if err != nil {
			return unreadable(err)
		}
		if len(lines) == 0 && !restarted {
			return nil
		}
		if err := f.out.Send(&operatorv1.TailLogsResponse{Lines: lines, Restarted: restarted}); err != nil {
			return err
		}
	}
}

func (f *follower) open() (bool, error) {
	if f.tail != nil {
		return true, nil
	}
	tail, err := records.Open(f.dir, f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // not begun yet, or removed
	}
	if err != nil {
		return false, unreadable(err)
	}
	f.tail = tail
	if f.lines > 0 {
		if err := tail.Last(f.lines); err != nil {
			return false, unreadable(err)
		}
	}
	return true, nil
}

// rest sends a last line that nobody has ended.
func (f *follower) rest() error {
	if f.tail == nil {
		return nil
	}
	if lines := f.tail.Rest(); len(lines) > 0 {
		return f.out.Send(&operatorv1.TailLogsResponse{Lines: lines})
	}
	return nil
}

// wait returns when it is time to look again, for the last time when the supervisor stops.
func (f *follower) wait(tick <-chan time.Time, changes <-chan ledger.Change) (last bool, err error) {
	for {
		select {
		case <-tick:
			return false, nil
		case c := <-changes:
			if c.Missed || slices.Contains(c.Sessions, f.session) {
				return false, nil
			}
		case <-f.server.stopping:
			return true, nil
		case <-f.out.Context().Done():
			return false, failure(f.out.Context().Err())
		}
	}
}

func unreadable(err error) error {
	return fault(codes.Internal, "UNREADABLE", "the log cannot be read: "+err.Error())
}

package hostapi

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/supervisor/delegation"
)

// Attach sends the session's released outcomes: those there are, then each new one, and between them what its children say. The ledger
// is read anew after every change, so nothing is lost between the reading and the watching and a slow worker costs one row of memory,
// and a word of each child.
func (s *Server) Attach(_ *hostv1.AttachRequest, out grpc.ServerStreamingServer[hostv1.AttachResponse]) error {
	session := asking(out.Context())
	changes, stop := s.ledger.Watch()
	defer stop()
	feed, unlisten := s.tree.Listen(session)
	defer unlisten()
	after, err := s.send(out, session, 0)
	if err != nil {
		return err
	}
	if err := out.Send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_CaughtUp{CaughtUp: &hostv1.CaughtUp{}}}); err != nil {
		return err
	}
	for {
		select {
		case <-out.Context().Done():
			return status.Error(codes.Canceled, "the stream has ended")
		case change := <-changes:
			if len(change.Delegations) == 0 && !change.Missed {
				continue
			}
		case <-feed.Ready():
		}
		if err := tell(out, feed.Take(s.ledger.Delegation, after)); err != nil {
			return err
		}
		if after, err = s.send(out, session, after); err != nil {
			return err
		}
	}
}

func tell(out grpc.ServerStreamingServer[hostv1.AttachResponse], said []delegation.Progress) error {
	for _, p := range said {
		err := out.Send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_Progress{Progress: &hostv1.ChildProgress{
			DelegationId: p.DelegationID, Capsule: p.Capsule, Version: p.Version, State: p.State, Message: p.Message, AtUnixMs: p.At.UnixMilli(),
		}}})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) send(out grpc.ServerStreamingServer[hostv1.AttachResponse], session string, after uint64) (uint64, error) {
	for _, d := range s.ledger.Released(session, after) {
		err := out.Send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_Outcome{Outcome: &hostv1.ReleasedOutcome{
			Seq: d.Seq, TaskId: d.ParentTaskID, Outcome: outcomeOf(d),
		}}})
		if err != nil {
			return after, err
		}
		after = d.Seq
	}
	return after, nil
}

package hostapi

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
)

// Attach sends the session's released outcomes: those there are, then each new one. The ledger is read anew after every change, so
// nothing is lost between the reading and the watching and a slow worker costs one row of memory.
func (s *Server) Attach(_ *hostv1.AttachRequest, out grpc.ServerStreamingServer[hostv1.AttachResponse]) error {
	session := asking(out.Context())
	changes, stop := s.ledger.Watch()
	defer stop()
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
			if after, err = s.send(out, session, after); err != nil {
				return err
			}
		}
	}
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

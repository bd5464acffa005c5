package operator

import (
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// WatchEvents sends the events of the ring as they come. A slow caller waits in its own stream only: the ring goes on without it.
func (s *Server) WatchEvents(q *operatorv1.WatchEventsRequest, out grpc.ServerStreamingServer[operatorv1.WatchEventsResponse]) error {
	session, err := s.sessionOrNone(q.GetSessionId())
	if err != nil {
		return err
	}
	reader := s.events.From(q.GetAfter())
	for caughtUp := false; ; {
		batch, missed, more, open := reader.Read()
		if missed.Events > 0 || missed.Restarted {
			m := &operatorv1.Missed{Events: missed.Events, Restarted: missed.Restarted}
			if err := out.Send(&operatorv1.WatchEventsResponse{What: &operatorv1.WatchEventsResponse_Missed{Missed: m}}); err != nil {
				return err
			}
		}
		for _, e := range batch {
			if !wanted(e, q.GetKinds(), session) {
				continue
			}
			if err := out.Send(&operatorv1.WatchEventsResponse{What: &operatorv1.WatchEventsResponse_Event{Event: e}}); err != nil {
				return err
			}
		}
		if len(batch) > 0 && open {
			continue // there may be more at once
		}
		if !caughtUp {
			caughtUp = true
			at := &operatorv1.WatchEventsResponse_CaughtUp{CaughtUp: reader.At()}
			if err := out.Send(&operatorv1.WatchEventsResponse{What: at}); err != nil {
				return err
			}
		}
		if q.GetUntilNow() || !open {
			return nil
		}
		select {
		case <-more:
		case <-s.stopping:
			return nil
		case <-out.Context().Done():
			return status.FromContextError(out.Context().Err()).Err()
		}
	}
}

// wanted applies the filters; a session's events are its own, those of what it delegated and, for a root, all beneath it.
func wanted(e *operatorv1.Event, kinds []operatorv1.EventKind, session string) bool {
	return (len(kinds) == 0 || slices.Contains(kinds, e.GetKind())) &&
		(session == "" || session == e.GetSessionId() || session == e.GetParentSessionId() || session == e.GetRootSessionId())
}

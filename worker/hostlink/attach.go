package hostlink

import (
	"context"

	"google.golang.org/grpc"

	hostv1 "rookery/proto/rookery/host/v1"
)

// attach keeps the stream of outcomes open until ctx ends.
func (l *Link) attach(ctx context.Context) {
	var between pause
	for ctx.Err() == nil {
		err := l.listen(ctx, &between)
		if ctx.Err() != nil {
			return
		}
		if attached, _, _ := l.presence.now(); attached {
			l.log.Warn().Err(err).Msg("lost the supervisor")
		}
		l.presence.set(false)
		if between.wait(ctx) != nil {
			return
		}
	}
}

// listen reads one stream to its end.
func (l *Link) listen(ctx context.Context, between *pause) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := l.client.Attach(ctx, &hostv1.AttachRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		// Only a supervisor that knows this worker sends anything.
		l.presence.set(true)
		between.reset()
		if released := message.GetOutcome(); released != nil {
			l.keep(released)
		}
		if word := message.GetProgress(); word != nil {
			l.progress(word)
		}
	}
}

// keep stores one outcome and has it acknowledged. One that came before is
// acknowledged again: the supervisor sends it because it has not heard.
func (l *Link) keep(released *hostv1.ReleasedOutcome) {
	key := released.GetOutcome().GetDelegationId()
	if key == "" {
		l.log.Error().Uint64("seq", released.GetSeq()).Msg("an outcome without a delegation was released")
		return
	}
	if _, known := l.outcomes.Get(key); !known {
		l.released(released)
		l.outcomes.add(released)
		l.arrived(released)
	}
	l.acks.add(key)
}

package daemon

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"rookery/supervisor/delegation"
	"rookery/supervisor/doctor"
	"rookery/supervisor/events"
	"rookery/supervisor/fleet"
	"rookery/supervisor/operator/mtls"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// observe begins the events: what changes from here on is told.
func (h *host) observe(ctx context.Context) {
	h.events = events.New(time.Now())
	h.refusals = events.NewRefusals(h.events)
	follower := events.NewFollower(h.events, h.ledger)
	// Its life ends in endEvents, after everything that changes the ledger has ended.
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() { defer close(done); follower.Run(ctx) }()
	h.endEvents = func() { stop(); <-done; h.events.Close() }
}

// refused makes an event of a delegation that was refused.
func (h *host) refused(session string, req delegation.Request, why *delegation.Refusal) {
	s, _ := h.ledger.Session(session)
	h.refusals.Add(session, s.RootSessionID, req.Capsule, req.Version, why.Code, why.Message)
}

// tellStopping is told once, however the stop came.
func (h *host) tellStopping() {
	if h.events != nil {
		h.saidStopping.Do(func() { h.events.Add(events.Host("stopping")) })
	}
}

// secure reads the certificates for operators over TCP; nil when none are served there.
func secure(f *fleet.Fleet) (*tls.Config, error) {
	o := f.Operator
	if o.Listen == "" {
		return nil, nil
	}
	config, err := mtls.Server(mtls.Files{Cert: o.Cert, Key: o.Key, CA: o.ClientCA})
	if err != nil {
		return nil, fmt.Errorf("%s: operator.tls: %w", f.File, err)
	}
	return config, nil
}

// checks is what GetHost says about the machine.
func (h *host) checks() []*operatorv1.Check {
	return doctor.Look(doctor.Options{StateDir: h.state.Root, Worker: h.o.Worker, MaxLive: h.o.Fleet.Limits.MaxLiveCapsules})
}

package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/net/netutil"

	"rookery/supervisor/events"
	"rookery/supervisor/roots"
)

// maxRemote bounds the connections of operators over TCP: whoever reaches the port can open one, also without a certificate.
const maxRemote = 64

// serve opens the sockets: the workers' first, since nothing may run that could not reach it.
func (h *host) serve() error {
	if _, err := h.serveOn(unixAt(h.state.HostSock()), h.hostAPI.Serve); err != nil {
		return err
	}
	if _, err := h.serveOn(unixAt(h.state.OperatorSock()), h.operator.Serve); err != nil {
		return err
	}
	if at := h.o.Fleet.Operator.Listen; at != "" {
		address, err := h.serveOn(tcpAt(h.ctx, at), h.operator.Serve)
		if err != nil {
			return config(err)
		}
		h.log.Info().Str("operator", "tcp://"+address.String()).Msg("operators are served over TCP with mutual TLS")
	}
	h.events.Add(events.Host("up"))
	h.log.Info().Str("operator", h.state.OperatorSock()).Msg("up")
	return nil
}

// serveOn opens a listener, serves on it and returns its address; close waits for it.
func (h *host) serveOn(open func() (net.Listener, error), serve func(net.Listener) error) (net.Addr, error) {
	l, err := open()
	if err != nil {
		return nil, err
	}
	h.serving++
	go func() { h.served <- serve(l) }()
	return l.Addr(), nil
}

func unixAt(path string) func() (net.Listener, error) {
	return func() (net.Listener, error) { return listen(path) }
}

func tcpAt(ctx context.Context, address string) func() (net.Listener, error) {
	return func() (net.Listener, error) {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("operator.listen: %w", err)
		}
		return netutil.LimitListener(l, maxRemote), nil
	}
}

// close takes the parts apart in the order that keeps the promises: every tree first, while its workers can still speak; then the
// sockets; the lock last. What was never opened is passed over.
func (h *host) close() error {
	var errs []error
	h.tellStopping()
	if h.set != nil {
		h.set.Stop()
	}
	if h.tree != nil {
		errs = append(errs, h.tree.Drain(context.WithoutCancel(h.ctx), 0))
	}
	if h.endEvents != nil {
		h.endEvents()
	}
	if h.operator != nil {
		h.operator.Stop(serveGrace)
	}
	if h.hostAPI != nil {
		h.hostAPI.Stop()
	}
	// Nobody is left who could begin anything.
	if h.tree != nil {
		errs = append(errs, h.tree.Close())
	}
	if h.set != nil {
		h.set.Close()
	}
	if h.pruner != nil {
		errs = append(errs, h.pruner.Close())
	}
	for range h.serving {
		errs = append(errs, <-h.served)
	}
	if h.native != nil {
		errs = append(errs, h.native.Close())
	}
	if h.launcher != nil {
		errs = append(errs, h.launcher.Close())
	}
	if h.clean && errors.Join(errs...) == nil {
		errs = append(errs, roots.Unmark(h.state.Up()))
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.unlock != nil {
		errs = append(errs, h.unlock())
	}
	return errors.Join(errs...)
}

package daemon

import (
	"context"
	"errors"
	"net"
)

// serve opens the sockets: the workers' first, since nothing may run that could not reach it.
func (h *host) serve() error {
	for _, s := range []struct {
		path  string
		serve func(net.Listener) error
	}{
		{h.state.HostSock(), h.hostAPI.Serve},
		{h.state.OperatorSock(), h.operator.Serve},
	} {
		l, err := listen(s.path)
		if err != nil {
			return err
		}
		h.serving++
		go func() { h.served <- s.serve(l) }() // close waits for it
	}
	h.log.Info().Str("operator", h.state.OperatorSock()).Msg("up")
	return nil
}

// close takes the parts apart in the order that keeps the promises: every tree first, while its workers can still speak; then the
// sockets; the lock last. What was never opened is passed over.
func (h *host) close() error {
	var errs []error
	if h.tree != nil {
		errs = append(errs, h.tree.Drain(context.WithoutCancel(h.ctx), 0))
		h.tree.Close()
	}
	if h.operator != nil {
		h.operator.Stop(serveGrace)
	}
	if h.hostAPI != nil {
		h.hostAPI.Stop()
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
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.unlock != nil {
		errs = append(errs, h.unlock())
	}
	return errors.Join(errs...)
}

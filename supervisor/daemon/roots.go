package daemon

import (
	"errors"
	"fmt"
	"time"

	"rookery/supervisor/events"
	"rookery/supervisor/ledger"
	"rookery/supervisor/roots"
)

// mark notes that the fleet is up, and returns what an earlier supervisor has left of its roots if it was not stopped cleanly.
func (h *host) mark() (map[string]ledger.Session, error) {
	begun, clean, err := roots.Mark(h.state.Up(), time.Now())
	switch {
	case errors.Is(err, roots.ErrMark):
		h.log.Warn().Err(err).Msg("nobody knows whether the fleet was stopped cleanly: every root is started anew")
	case err != nil:
		return nil, fmt.Errorf("note that the fleet is up: %w", err)
	case !clean:
		return roots.Past(h.ledger, begun), nil
	}
	return nil, nil
}

// rootChanged makes an event of what happens to a root between its sessions.
func (h *host) rootChanged(c roots.Change) {
	m := c.Root.Entry.Package.Manifest
	h.events.Add(events.Root(c.Root.ID, c.Session, m.Name, m.Version, string(c.State), c.Detail))
}

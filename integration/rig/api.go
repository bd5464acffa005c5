package rig

import (
	"context"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// callTimeout bounds a reading call.
const callTimeout = 10 * time.Second

// Sessions are all sessions the host knows, in the order they began.
func (h *Host) Sessions() []*operatorv1.Session {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	var all []*operatorv1.Session
	q := &operatorv1.ListSessionsRequest{All: true, PageSize: 500}
	for {
		page, err := h.API.ListSessions(ctx, q)
		require.NoError(h.t, err)
		all = append(all, page.GetSessions()...)
		if q.PageToken = page.GetNextPageToken(); q.GetPageToken() == "" {
			return all
		}
	}
}

// Delegations are all delegations the host knows, in the order they were made.
func (h *Host) Delegations() []*operatorv1.Delegation {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	var all []*operatorv1.Delegation
	q := &operatorv1.ListDelegationsRequest{PageSize: 500}
	for {
		page, err := h.API.ListDelegations(ctx, q)
		require.NoError(h.t, err)
		all = append(all, page.GetDelegations()...)
		if q.PageToken = page.GetNextPageToken(); q.GetPageToken() == "" {
			return all
		}
	}
}

// Delegation is one delegation by its id.
func (h *Host) Delegation(id string) *operatorv1.Delegation {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	answer, err := h.API.GetDelegation(ctx, &operatorv1.GetDelegationRequest{DelegationId: id})
	require.NoError(h.t, err)
	return answer.GetDelegation()
}

// RootSession is the session of the fleet's root with this id, once it has one.
func (h *Host) RootSession(id string) *operatorv1.Session {
	h.t.Helper()
	var found *operatorv1.Session
	Until(h.t, Soon, "root "+id+" has a session", func() bool {
		all := h.Sessions()
		i := slices.IndexFunc(all, func(s *operatorv1.Session) bool { return s.GetRootId() == id })
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found
}

// RunningChild waits for a delegation to this capsule that runs, and returns it.
func (h *Host) RunningChild(capsule string) *operatorv1.Delegation {
	h.t.Helper()
	var found *operatorv1.Delegation
	Until(h.t, Soon, "a delegation to "+capsule+" runs", func() bool {
		all := h.Delegations()
		i := slices.IndexFunc(all, func(d *operatorv1.Delegation) bool {
			return d.GetCapsule() == capsule && d.GetState() == operatorv1.DelegationState_DELEGATION_STATE_RUNNING
		})
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found
}

// Ended waits for a delegation to be over and returns it.
func (h *Host) Ended(id string, bound time.Duration) *operatorv1.Delegation {
	h.t.Helper()
	var d *operatorv1.Delegation
	Until(h.t, bound, "delegation "+id+" has ended", func() bool {
		d = h.Delegation(id)
		return d.GetState() == operatorv1.DelegationState_DELEGATION_STATE_ENDED
	})
	return d
}

// RootEnded waits for a root to be over and returns its session.
func (h *Host) RootEnded(id string, bound time.Duration) *operatorv1.Session {
	h.t.Helper()
	var s *operatorv1.Session
	Until(h.t, bound, "root "+id+" has ended", func() bool {
		s = h.RootSession(id)
		return s.GetState() == operatorv1.SessionState_SESSION_STATE_ENDED
	})
	return s
}

// Acknowledged waits until the parent's worker has acknowledged the outcome of a delegation, which follows the end by a moment, and
// returns the delegation.
func (h *Host) Acknowledged(id string) *operatorv1.Delegation {
	h.t.Helper()
	var d *operatorv1.Delegation
	Until(h.t, Soon, "the outcome of "+id+" is acknowledged, in the record too", func() bool {
		d = h.Delegation(id)
		return d.GetDelivered() && h.Completion(d).Delivered
	})
	return d
}

// Session is one session by its id.
func (h *Host) Session(id string) *operatorv1.Session {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	answer, err := h.API.GetSession(ctx, &operatorv1.GetSessionRequest{SessionId: id})
	require.NoError(h.t, err)
	return answer.GetSession()
}

// LatestBegun waits until this supervisor has begun a root and returns its session: each supervisor begins a new one.
func (h *Host) LatestBegun(id string) *operatorv1.Session {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	host, err := h.API.GetHost(ctx, &operatorv1.GetHostRequest{})
	require.NoError(h.t, err)
	var latest *operatorv1.Session
	Until(h.t, Soon, "root "+id+" has begun", func() bool {
		for _, s := range h.Sessions() {
			if s.GetRootId() == id && !s.GetStartedAt().AsTime().Before(host.GetStartedAt().AsTime()) {
				latest = s
			}
		}
		return latest != nil
	})
	return latest
}

// LatestEnded is LatestBegun, and waits until that session is over.
func (h *Host) LatestEnded(id string, bound time.Duration) *operatorv1.Session {
	h.t.Helper()
	s := h.LatestBegun(id)
	Until(h.t, bound, "the newest session of root "+id+" has ended", func() bool {
		s = h.Session(s.GetSessionId())
		return s.GetState() == operatorv1.SessionState_SESSION_STATE_ENDED
	})
	return s
}

package bench

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// roomy is a host that refuses none of what a benchmark does.
func roomy() rig.Fleet {
	return rig.Fleet{
		Store: []string{rig.Path(rig.Misbehave), rig.Path(capsules)},
		Limits: map[string]any{
			"max_live_capsules": 256, "max_children": 8, "max_spawns_per_root": 10_000, "spawn_rate": "100000/m", "spawn_burst": 10_000,
		},
	}
}

// launch starts a root.
func launch(b *testing.B, h *rig.Host, capsule, task string) *operatorv1.Session {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), bound)
	defer cancel()
	answer, err := h.API.LaunchCapsule(ctx, &operatorv1.LaunchCapsuleRequest{Capsule: capsule, Version: "0.1.0", Task: task})
	require.NoError(b, err)
	return answer.GetSession()
}

// ended waits for a session to end well.
func ended(b *testing.B, h *rig.Host, session *operatorv1.Session) {
	b.Helper()
	var s *operatorv1.Session
	rig.Until(b, long, session.GetCapsule()+" has ended", func() bool {
		s = h.Session(session.GetSessionId())
		return s.GetState() == operatorv1.SessionState_SESSION_STATE_ENDED
	})
	require.Equal(b, "ok", s.GetStatus(), "%s: %s", s.GetCapsule(), s.GetDetail())
}

// running waits until that many sessions run, and returns them.
func running(b *testing.B, h *rig.Host, n int) (live []*operatorv1.Session) {
	b.Helper()
	rig.Until(b, bound, "all of them run", func() bool {
		live = slices.DeleteFunc(h.Sessions(), func(s *operatorv1.Session) bool {
			return s.GetState() != operatorv1.SessionState_SESSION_STATE_RUNNING
		})
		return len(live) == n
	})
	return live
}

// stop ends a session and all beneath it.
func stop(b *testing.B, h *rig.Host, session *operatorv1.Session) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), bound)
	defer cancel()
	_, err := h.API.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: session.GetSessionId()})
	require.NoError(b, err)
}

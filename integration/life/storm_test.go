package life_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

const (
	// stormChildren is how many children a storm has. Half of them are killed.
	stormChildren = 200
	// stormAtOnce is how many live at once: enough that deaths meet, few enough for two cores.
	stormAtOnce = 24
)

// storm is what examples/misbehave/storm answers.
type storm struct {
	Started  int            `json:"started"`
	Outcomes map[string]int `json:"outcomes"`
	Repeated int            `json:"repeated"`
	Foreign  int            `json:"foreign"`
	Most     int            `json:"most"`
	Stopped  *rig.Refusal   `json:"stopped"`
}

func TestAStormOfChildrenHalfOfThemKilledLosesNothingAndLeavesNothing(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	h := rig.Up(t, rig.Fleet{
		Limits: map[string]any{
			"max_children": stormAtOnce, "max_live_capsules": 64, "max_spawns_per_root": stormChildren, "spawn_rate": "1000/s", "spawn_burst": 1000,
		},
		Capsules: []rig.Root{
			{Name: "storm", Task: fmt.Sprintf(`{"capsule": "nap", "count": %d}`, stormChildren)},
			{Name: "long-parent"}, // stays, so that what the storm leaves in the supervisor can be seen
		},
	})
	root := h.RootSession("storm")
	killed := killHalf(t, h, root.GetSessionId())

	root = h.RootEnded("storm", time.Minute)
	var heard storm
	h.Report(root, &heard)
	t.Logf("%d started, %d at once, %d killed: %v", heard.Started, heard.Most, killed, heard.Outcomes)
	require.Nil(t, heard.Stopped)
	assert.Equal(t, stormChildren, heard.Started)
	assert.Zero(t, heard.Repeated)
	assert.Zero(t, heard.Foreign)
	assert.Greater(t, heard.Most, 1)
	assert.Greater(t, killed, stormChildren/4, "a storm in which hardly anything died shows nothing")

	counted := map[string]int{}
	for _, d := range h.Delegations() {
		if d.GetParentSessionId() != root.GetSessionId() {
			continue
		}
		counted[d.GetStatus()]++
		recorded(t, h, d)
	}
	assert.Equal(t, counted, heard.Outcomes, "the ledger and the parent agree")
	total := 0
	for n := range maps.Values(counted) {
		total += n
	}
	assert.Equal(t, stormChildren, total)
	assert.Len(t, h.Completions("nap"), stormChildren, "records on disk")

	t.Run("the supervisor holds nothing of it any more", func(t *testing.T) {
		// What lives are the other root, its two children and, until it has been acknowledged, nothing else.
		rig.Until(t, rig.Soon, "only the doors of living sessions are held", func() bool {
			doors, err := rig.Listening(h.PID())
			require.NoError(t, err)
			return len(doors) == 3
		})
		assert.Len(t, h.Workers(), 3)
		n, err := rig.Descriptors(h.PID())
		require.NoError(t, err)
		t.Logf("%d descriptors", n)
		assert.Less(t, n, 120, "descriptors of the supervisor")
	})
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

// killHalf kills every other child on average, in one of two ways, at a random moment of its life, until the root has ended. It returns
// how many it tried to kill.
func killHalf(t *testing.T, h *rig.Host, root string) int {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	var kills sync.WaitGroup
	defer kills.Wait()
	seen, killed := map[string]bool{}, 0
	rig.Until(t, 2*time.Minute, "the storm is over", func() bool {
		for _, d := range living(t, h, root) {
			switch {
			case seen[d.GetDelegationId()]:
			case dice.IntN(4) != 0: // look again: a kill should not always meet the same moment
			case dice.IntN(2) == 0:
				seen[d.GetDelegationId()] = true
			case d.GetPid() != 0 && dice.IntN(2) == 0:
				seen[d.GetDelegationId()] = true
				killed++
				assert.NoError(t, rig.Send(int(d.GetPid()), syscall.SIGKILL))
			default:
				seen[d.GetDelegationId()] = true
				killed++
				kills.Go(func() {
					ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
					defer cancel()
					_, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: d.GetDelegationId(), Reason: "storm"})
					assert.NoError(t, err)
				})
			}
		}
		return h.Session(root).GetState() == operatorv1.SessionState_SESSION_STATE_ENDED
	})
	return killed
}

// living are the delegations beneath a root that have not ended.
func living(t *testing.T, h *rig.Host, root string) []*operatorv1.Delegation {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	page, err := h.API.ListDelegations(ctx, &operatorv1.ListDelegationsRequest{
		RootSessionId: root, PageSize: 500,
		States: []operatorv1.DelegationState{
			operatorv1.DelegationState_DELEGATION_STATE_STARTING, operatorv1.DelegationState_DELEGATION_STATE_RUNNING,
		},
	})
	require.NoError(t, err)
	return page.GetDelegations()
}

package guest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"rookery/integration/rig"
)

// Both heed nothing: the parent is trapped half a second after its deadline, and its child needs as long again to be ended. That is more
// than the second after which a supervisor kills a worker at its deadline, and no reason to call the parent crashed.
func TestAParentThatHeedsNoDeadlineLeavesItsRecordWhenItsChildIsEnded(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Store: store(t), Capsules: []rig.Root{{Name: "hasty", Task: text(
		delegate("spin", `,"task":""`), ask{Op: "progress", Request: []byte(`{"message":"on and on"}`), Until: "never"},
	)}}})
	s := h.RootEnded("hasty", rig.Soon)
	assert.Equal(t, "error", s.GetStatus())
	assert.Equal(t, "deadline 2s", s.GetDetail())
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

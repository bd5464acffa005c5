package life_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
	murmur "rookery/sdk/go"
)

// alike checks that the operator, the record on disk, the trace of the parent and the parent itself tell one and the same end.
func alike(t *testing.T, h *rig.Host, parent *operatorv1.Session, heard murmur.Outcome) {
	t.Helper()
	d := h.Delegation(heard.DelegationID)
	recorded(t, h, d)
	assert.Equal(t, d.GetCapsule(), heard.Capsule)
	assert.Equal(t, d.GetVersion(), heard.Version)
	assert.Equal(t, d.GetStatus(), string(heard.Status))
	assert.Equal(t, d.GetDetail(), heard.Detail)
	assert.Equal(t, d.GetDurationMs(), heard.DurationMS)
	assert.Equal(t, d.GetParentSessionId(), parent.GetSessionId())

	var traced []rig.Event
	for _, e := range h.Trace(parent.GetRecordsDir()) {
		if e["event_type"] == "delegation" && e["delegation_id"] == heard.DelegationID {
			traced = append(traced, e)
		}
	}
	require.Len(t, traced, 1, "the parent's trace of %s", heard.DelegationID)
	assert.Equal(t, string(heard.Status), traced[0]["outcome"])
}

// recorded checks that an ended delegation has one terminal record, on disk as in the ledger, and that nothing of its process is left.
func recorded(t *testing.T, h *rig.Host, d *operatorv1.Delegation) {
	t.Helper()
	require.Equal(t, operatorv1.DelegationState_DELEGATION_STATE_ENDED, d.GetState(), d.GetDelegationId())
	rec := h.Completion(d)
	assert.Equal(t, outcome.Record{
		DelegationID: d.GetDelegationId(), CapsuleName: d.GetCapsule(), CapsuleVersion: d.GetVersion(), SessionID: d.GetSessionId(),
		Status: outcome.Status(d.GetStatus()), ResultPath: d.GetResultPath(), Workdir: d.GetWorkdir(), DurationMS: d.GetDurationMs(),
		Detail: d.GetDetail(), ReportedBy: outcome.Reporter(d.GetReportedBy()), Delivered: d.GetDelivered(), DeliveryError: d.GetDeliveryError(),
	}, rec)
	assert.Equal(t, d.GetStatus() == "ok", d.GetDetail() == "", "every status but ok has a detail: %q", d.GetDetail())
	assert.NotNil(t, d.GetEndedAt())
	assert.Zero(t, d.GetPid())
	if d.GetResultPath() != "" {
		_, err := os.Stat(d.GetResultPath())
		assert.NoError(t, err)
	}
}

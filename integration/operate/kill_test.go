package operate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// watch is a fleet with a parent that keeps two sleepers running.
func watch() rig.Fleet { return rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}} }

// row is what `delegations -o json` and `kill -o json` print of one delegation.
type row struct {
	DelegationID string  `json:"delegation_id"`
	Capsule      string  `json:"capsule"`
	State        string  `json:"state"`
	Status       string  `json:"status"`
	Detail       string  `json:"detail"`
	PID          int     `json:"pid"`
	EndedAt      *string `json:"ended_at"`
	KilledBy     string  `json:"killed_by"`
}

func TestAnOperatorSeesAndEndsADelegationFromASecondProcess(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	id := child.GetDelegationId()

	said := h.CLI("ps")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, h.RootSession("long-parent").GetSessionId())

	said = h.CLI("delegations")
	require.Equal(t, 0, said.Code, said.Stderr)
	var rows []row
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &rows), "JSON where stdout is no terminal: %s", said.Stdout)
	listed := find(rows, id)
	require.NotNil(t, listed)
	assert.Equal(t, row{DelegationID: id, Capsule: "sleep", State: "running", PID: int(child.GetPid())}, *listed)

	said = h.CLI("delegations", "-o", "table")
	assert.Contains(t, said.Stdout, id)
	assert.Contains(t, said.Stdout, "running")
	said = h.CLI("tree", "-o", "table")
	assert.Contains(t, said.Stdout, "─ "+id+" sleep@0.1.0 running pid ")

	before := time.Now()
	said = h.CLI("kill", strings.ToUpper(id[len(id)-8:]), "--reason", "took too long")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.True(t, rig.Gone(int(child.GetPid())), "kill returns when the process is gone")
	assert.Less(t, time.Since(before), 5*time.Second)
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &listed), said.Stdout)
	assert.Equal(t, "terminated", listed.Status)
	assert.Equal(t, "ended by an operator: took too long", listed.Detail)
	assert.Equal(t, "operator", listed.KilledBy)
	assert.NotNil(t, listed.EndedAt)
	rec := h.Completion(child)
	assert.Equal(t, outcome.Terminated, rec.Status)
	assert.Equal(t, "ended by an operator: took too long", rec.Detail)

	again := h.CLI("kill", id, "--reason", "another reason", "-o", "table")
	assert.Equal(t, 0, again.Code, again.Stderr)
	assert.Equal(t, id+" sleep@0.1.0 ended terminated: ended by an operator: took too long\n", again.Stdout)

	said = h.CLI("delegations", "--all", "--status", "terminated", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &rows))
	require.Len(t, rows, 1)
	assert.Equal(t, id, rows[0].DelegationID)

	rig.Until(t, rig.Soon, "the parent was told and has started another", func() bool { return len(h.Delegations()) == 3 })
}

func find(rows []row, id string) *row {
	for i := range rows {
		if rows[i].DelegationID == id {
			return &rows[i]
		}
	}
	return nil
}

func TestIdsThatNameNothingOrTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	rig.Until(t, rig.Soon, "both children run", func() bool {
		all := h.Delegations()
		return len(all) == 2 && all[0].GetPid() != 0 && all[1].GetPid() != 0
	})
	t.Cleanup(func() {
		for _, d := range h.Delegations() {
			assert.Empty(t, d.GetStatus(), "nothing was ended")
		}
	})
	for name, c := range map[string]struct{ id, says string }{
		"an id of nobody":     {"dlg_00000000000000000000000000000000", "there is no delegation dlg_00000000000000000000000000000000"},
		"a suffix of nobody":  {"zzzz", "there is no delegation zzzz"},
		"a suffix too short":  {"abc", "delegation_id"},
		"a session":           {h.RootSession("long-parent").GetSessionId(), "there is no delegation ses_"},
		"something else":      {"../../etc", "there is no delegation ../../etc"},
		"what steers a shell": {"\x1b[31m\n4f2a", `there is no delegation \x1b[31m`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := h.CLI("kill", c.id)
			assert.Equal(t, 2, said.Code)
			assert.Empty(t, said.Stdout)
			assert.Contains(t, said.Stderr, c.says)
			assert.NotContains(t, said.Stderr, "rpc error")
			assert.NotContains(t, said.Stderr, "\x1b")
		})
	}
}

func TestAnyClientOfTheAPICanEndADelegation(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()

	_, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: "dlg_unknown"})
	requireStatus(t, err, codes.NotFound, "NOT_FOUND")
	_, err = h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: "abc"})
	requireStatus(t, err, codes.InvalidArgument, "INVALID_REQUEST")
	_, err = h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId(), Reason: strings.Repeat("x", 501)})
	requireStatus(t, err, codes.InvalidArgument, "INVALID_REQUEST")
	_, err = h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId(), Grace: durationpb.New(time.Hour)})
	requireStatus(t, err, codes.InvalidArgument, "INVALID_REQUEST")
	_, err = h.API.ListDelegations(ctx, &operatorv1.ListDelegationsRequest{PageToken: "%%%"})
	requireStatus(t, err, codes.InvalidArgument, "INVALID_PAGE_TOKEN")
	assert.False(t, rig.Gone(int(child.GetPid())), "no refused call has ended anything")

	first, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId()})
	require.NoError(t, err)
	assert.True(t, rig.Gone(int(child.GetPid())))
	assert.Equal(t, "ended by an operator", first.GetDelegation().GetDetail())
	assert.Equal(t, outcome.Terminated, h.Completion(child).Status)
	second, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId(), Reason: "again"})
	require.NoError(t, err)
	assert.Equal(t, first.GetDelegation().GetDetail(), second.GetDelegation().GetDetail())
	assert.Equal(t, first.GetDelegation().GetEndedAt().AsTime(), second.GetDelegation().GetEndedAt().AsTime())
}

// requireStatus checks a refusal's code and its ErrorInfo.
func requireStatus(t *testing.T, err error, code codes.Code, reason string) {
	t.Helper()
	st, ok := status.FromError(err)
	require.True(t, ok, err)
	require.Equal(t, code, st.Code(), st.Message())
	require.Len(t, st.Details(), 1)
	info, ok := st.Details()[0].(*errdetails.ErrorInfo)
	require.True(t, ok)
	assert.Equal(t, "rookery", info.GetDomain())
	assert.Equal(t, reason, info.GetReason())
}

func TestAKillTakesTheWholeSubtreeAndNothingElse(t *testing.T) {
	t.Parallel()
	inner := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep", Count: 2}}}
	outer := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: inner.Text(), Count: 2}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: outer.Text()}}})
	rig.Until(t, rig.Soon, "six run", func() bool {
		n := 0
		for _, d := range h.Delegations() {
			if d.GetState() == operatorv1.DelegationState_DELEGATION_STATE_RUNNING {
				n++
			}
		}
		return n == 6
	})
	var killed *operatorv1.Delegation
	for _, d := range h.Delegations() {
		if d.GetCapsule() == "parent" {
			killed = d
		}
	}
	said := h.CLI("kill", killed.GetDelegationId())
	require.Equal(t, 0, said.Code, said.Stderr)
	for _, d := range h.Delegations() {
		switch {
		case d.GetDelegationId() == killed.GetDelegationId():
			assert.Equal(t, "ended by an operator", d.GetDetail())
			killed = d
		case d.GetParentSessionId() == killed.GetSessionId():
			assert.Equal(t, "terminated", d.GetStatus())
			assert.Equal(t, "ended with its parent", d.GetDetail())
			assert.Equal(t, outcome.Terminated, h.Completion(d).Status)
			assert.Equal(t, "operator", d.GetKilledBy())
		default:
			assert.Equal(t, operatorv1.DelegationState_DELEGATION_STATE_RUNNING, d.GetState(), "another branch")
		}
	}
	for _, d := range h.Delegations() {
		if d.GetParentSessionId() == killed.GetSessionId() {
			assert.False(t, d.GetEndedAt().AsTime().After(killed.GetEndedAt().AsTime()), "children end before their parent")
		}
	}
}

func TestAKilledWorkerThatDoesNotAnswerIsGoneWithinItsGrace(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	require.NoError(t, rig.Send(int(child.GetPid()), stopped))
	before := time.Now()
	said := h.CLI("kill", child.GetDelegationId(), "--grace", "30s", "--reason", "hangs")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.Less(t, time.Since(before), 5*time.Second, "a worker has a second of the grace; the rest is for what is beneath it")
	assert.True(t, rig.Gone(int(child.GetPid())))
	assert.Equal(t, "ended by an operator: hangs", h.Completion(child).Detail)
}

func TestAKillThatNobodyWaitsForIsDoneAllTheSame(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	require.NoError(t, rig.Send(int(child.GetPid()), stopped))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId(), Reason: "in a hurry"})
	assert.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
	ended := h.Ended(child.GetDelegationId(), rig.Soon)
	assert.Equal(t, "ended by an operator: in a hurry", ended.GetDetail())
	assert.True(t, rig.Gone(int(child.GetPid())))
}

func TestManyKillsOfOneDelegationAreOneEnd(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	details := make([]string, 8)
	var kills sync.WaitGroup
	for i := range details {
		kills.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
			defer cancel()
			answer, err := h.API.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: child.GetDelegationId(), Reason: fmt.Sprint(i)})
			assert.NoError(t, err)
			details[i] = answer.GetDelegation().GetDetail()
		})
	}
	kills.Wait()
	for _, detail := range details {
		assert.Equal(t, details[0], detail, "the first cause stands, and all are told it")
	}
	assert.Equal(t, details[0], h.Completion(child).Detail)
}

package operator

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
)

func TestAPageTokenLeadsToTheRowsBehindIt(t *testing.T) {
	t.Parallel()
	id, err := after(token("dlg_01"))
	require.NoError(t, err)
	require.Equal(t, "dlg_01", id)

	id, err = after("")
	require.NoError(t, err)
	require.Empty(t, id)

	_, err = after("%%%")
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	require.Equal(t, defaultPage, pageSize(0))
	require.Equal(t, 7, pageSize(7))
}

func TestEveryErrorNamesItsReasonAndItsDomain(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		code   codes.Code
		reason string
	}{
		"ffff": {codes.NotFound, "NOT_FOUND"},
		"0aaa": {codes.InvalidArgument, "AMBIGUOUS_ID"},
		"aa":   {codes.InvalidArgument, "INVALID_ID"},
	} {
		_, err := resolve("delegation", query, []string{"dlg_10aaa", "dlg_20aaa"})
		st := status.Convert(err)
		require.Equal(t, want.code, st.Code(), query)
		info, ok := st.Details()[0].(*errdetails.ErrorInfo)
		require.True(t, ok)
		require.Equal(t, want.reason, info.GetReason())
		require.Equal(t, "rookery", info.GetDomain())
	}
	full, err := resolve("delegation", "10AAA", []string{"dlg_10aaa", "dlg_20aaa"})
	require.NoError(t, err)
	require.Equal(t, "dlg_10aaa", full)
}

func TestStatesOfBothKindsAreTheSameNumbers(t *testing.T) {
	t.Parallel()
	for _, s := range []ledger.State{ledger.Starting, ledger.Running, ledger.Ending, ledger.Ended} {
		require.NotZero(t, sessionState(s))
		require.Equal(t, int32(sessionState(s)), int32(delegationState(s)))
		require.Equal(t, []ledger.State{s}, ledgerStates([]operatorv1.DelegationState{delegationState(s)}))
	}
}

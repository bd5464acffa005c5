package murmur

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

func TestRequestsAreWrittenAsTheInterfaceSays(t *testing.T) {
	t.Parallel()
	full := DelegateRequest{
		Capsule: "counter", Version: "0.1.0", TaskFile: "tasks/1.json",
		Deadline: 1500 * time.Millisecond, RequestKey: "shard-1",
	}
	await := AwaitRequest{Delegations: []string{"dlg_01", "dlg_02"}, Any: true, Timeout: 30 * time.Second, After: 17}
	both := DelegateRequest{Capsule: "counter", Version: "0.1.0", Task: "a", TaskFile: "b", Deadline: -time.Second}
	counts, err := JSON(map[string]int{"<a>": 1})
	require.NoError(t, err)
	artifact := ArtifactRequest{
		ID: "report", Name: "a report", Append: true, Last: true,
		Parts: []Part{{Text: "one", MediaType: "text/markdown"}, counts, {URL: "https://x.example/y"}, File("out/report.csv")},
	}
	for file, request := range map[string]any{
		"request_delegate.json":       DelegateRequest{Capsule: "counter", Version: "0.1.0", Task: "<a> & b"}.wire(false),
		"request_delegate_full.json":  full.wire(true),
		"request_delegate_empty.json": DelegateRequest{Capsule: "counter", Version: "0.1.0"}.wire(false),
		"request_delegate_both.json":  both.wire(false), // for the host to refuse
		"request_await_all.json":      AwaitRequest{}.wire(),
		"request_await_poll.json":     AwaitRequest{Poll: true}.wire(),
		"request_await_full.json":     await.wire(),
		"request_end.json":            endRequest{DelegationID: "dlg_01"},
		"request_log.json":            logRequest{Level: LevelWarn, Message: "half done"},
		"request_progress.json":       progressRequest{Message: "3 of 7"},
		"request_artifact.json":       ArtifactRequest{Parts: []Part{Text("")}}.wire(),
		"request_artifact_none.json":  ArtifactRequest{}.wire(), // for the host to refuse
		"request_artifact_full.json":  artifact.wire(),
		"request_finish.json":         finishRequest{State: Completed},
		"request_finish_failed.json":  finishRequest{State: Failed, Parts: []Part{Text("no luck")}},
		"request_input.json":          inputRequest{Prompt: "which?", TimeoutSecs: timeout(90*time.Second, false)},
		"request_input_ever.json":     inputRequest{Prompt: "which?", TimeoutSecs: timeout(0, false)},
		"request_wait_all.json":       WaitRequest{}.wire(),
		"request_wait_poll.json":      WaitRequest{Poll: true, After: 3}.wire(),
		"request_wait_full.json":      WaitRequest{After: 3, Kinds: []Kind{KindOutcome, KindCancel}, Timeout: 1500 * time.Millisecond}.wire(),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got, err := encode(request)
			require.NoError(t, err)
			assert.Equal(t, string(golden(t, file)), string(got))
		})
	}
}

func TestAnswersAreReadAndUnknownFieldsIgnored(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]any{
		"response_started.json": Started{
			DelegationID: "dlg_01", SessionID: "ses_02", URL: "http://127.0.0.1:40001", Capsule: "counter", Version: "0.1.0",
		},
		"response_outcome.json": Outcome{
			DelegationID: "dlg_01", Capsule: "counter", Version: "0.1.0", Status: StatusError, DurationMS: 1500,
			Detail: "exit 3", ResultState: ResultText, Result: "half", Truncated: true,
			Whole: "delegations/dlg_01.txt", Message: "fenced",
		},
		"response_awaited.json": Awaited{
			Outcomes: []Outcome{{
				DelegationID: "dlg_01", Capsule: "counter", Version: "0.1.0", Status: StatusCrashed, DurationMS: 7,
				Detail: "signal: killed", ResultState: ResultNone, Message: "fenced",
			}},
			Outstanding: []string{"dlg_02"},
			Next:        18,
		},
		"response_waited.json": Waited{
			Events: []Event{
				{Seq: 4, Kind: KindProgress, Progress: &ChildProgress{
					DelegationID: "dlg_01", Capsule: "counter", Version: "0.1.0", State: "working", Message: "half", AtMS: 1700000000000,
				}},
				{Seq: 6, Kind: KindOutcome, Outcome: &Outcome{DelegationID: "dlg_01", Status: StatusOK, ResultState: ResultNone, Message: "fenced"}},
				{Seq: 7, Kind: KindInput, Input: &Input{
					MessageID: "m1", Text: "yes", Parts: []Part{{Text: "yes"}, {Data: json.RawMessage(`{"n": 1}`), MediaType: "application/json"}},
				}},
				{Seq: 8, Kind: KindCancel, Cancel: &Cancel{Reason: "deadline 600s"}},
				{Seq: 9, Kind: "of-tomorrow"},
			},
			Next: 9, Missed: 1,
		},
		"response_input.json": Input{MessageID: "m1", Text: "yes", Parts: []Part{{Text: "yes"}}},
		"response_self.json": Info{
			ABI: 1, Ops: []string{"self", "log", "delegate"}, SessionID: "ses_01", Capsule: "orchestrator", Version: "0.1.0",
			URL: "http://127.0.0.1:40000",
			Task: TaskInfo{TaskID: "tsk_01", ContextID: "ctx_01", Message: Message{
				MessageID: "msg_01", Parts: []Part{{Text: "count", MediaType: "text/plain"}}, Metadata: map[string]json.RawMessage{"a": json.RawMessage("1")},
			}},
			DeadlineAtMS: 1700000000000, CancelRequested: true, Outstanding: []string{"dlg_01"},
			Limits: Limits{MemoryBytes: 536870912, TableElements: 100000, DeadlineSecs: 600, RequestBytes: 1048576},
			Grants: Grants{SpawnAllow: []string{"counter"}, EnvAllow: []string{}, DelegationDeadlineSecs: 1.5},
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var got any
			var err error
			switch want.(type) {
			case Started:
				got, err = decoded[Started](golden(t, file))
			case Outcome:
				got, err = decoded[Outcome](golden(t, file))
			case Awaited:
				got, err = decoded[Awaited](golden(t, file))
			case Waited:
				got, err = decoded[Waited](golden(t, file))
			case Input:
				got, err = decoded[Input](golden(t, file))
			case Info:
				got, err = decoded[Info](golden(t, file))
			}
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
	assert.Equal(t, 1500*time.Millisecond, Outcome{DurationMS: 1500}.Duration())
	at, is := Info{DeadlineAtMS: 1700000000000}.Deadline()
	assert.True(t, is)
	assert.Equal(t, "2023-11-14T22:13:20Z", at.UTC().Format(time.RFC3339))
	_, is = Info{}.Deadline()
	assert.False(t, is)
}

func decoded[T any](response []byte) (any, error) {
	var value T
	err := decode("op", response, &value)
	return value, err
}

func TestAResponseIsCollectedInAsManyTakesAsItNeeds(t *testing.T) {
	t.Parallel()
	rest := []byte("0123456789")
	got, err := collect(10, func(dst []byte) int {
		n := copy(dst[:min(3, len(dst))], rest)
		rest = rest[n:]
		return n
	})
	require.NoError(t, err)
	assert.Equal(t, "0123456789", string(got))

	_, err = collect(4, func(dst []byte) int { return 0 })
	require.EqualError(t, err, "host announced 4 bytes and gave 0")
	_, err = collect(-1, func([]byte) int { return 0 })
	require.EqualError(t, err, "host answered -1, which version 1 of the interface does not use")
}

func TestOutsideACapsuleEveryCallSaysSo(t *testing.T) {
	t.Parallel()
	_, self := Self()
	_, delegate := Delegate(DelegateRequest{})
	_, wait := DelegateAndWait(DelegateRequest{})
	_, await := Await(AwaitRequest{})
	_, all := AwaitAll("dlg_01")
	_, end := EndDelegation("dlg_01")
	_, artifact := Artifact(ArtifactRequest{Parts: []Part{Text("x")}})
	_, waited := Wait(WaitRequest{})
	_, input := RequestInput("x", 0)
	var event error
	for _, event = range Events() {
		continue
	}
	for _, err := range []error{
		self, delegate, wait, await, all, end, artifact, waited, input, event, Log(LevelInfo, "x"), Progress("x"), Finish(Completed),
	} {
		require.ErrorIs(t, err, ErrOutside)
	}
	assert.EqualError(t, self, "self: runs only inside a capsule (GOOS=wasip1 GOARCH=wasm)")
}

package ops_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/ops"
)

const child = `{"capsule":"counter","version":"0.1.0","task":"t"}`

// refusing asks a supervisor that refuses every delegation with this code. Its own
// tests, and those of integration/guest, show that it does.
func refusing(code string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		return newRig(t, assignment(), hosttest.Answers{
			Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
				return nil, hosttest.Refuse(codes.FailedPrecondition, "why", &hostv1.Refusal{Code: code, Limit: 4, Value: 5, RetryAfterMs: 10})
			},
		}).ask("delegate", child)
	}
}

// reached has a way to every code that anything answers with.
var reached = map[string]func(*testing.T) string{
	"not_granted": func(t *testing.T) string {
		t.Helper()
		a := assignment()
		a.Grants = nil
		return newRig(t, a, hosttest.Answers{}).ask("delegate", child)
	},
	"unknown_op":  func(t *testing.T) string { t.Helper(); return bare(t).ask("nothing", `{}`) },
	"bad_request": func(t *testing.T) string { t.Helper(); return bare(t).ask("self", `{"a":1}`) },
	"too_large": func(t *testing.T) string {
		t.Helper()
		return bare(t).ask("self", strings.Repeat(" ", 1<<20+1))
	},
	"canceled": func(t *testing.T) string {
		t.Helper()
		r := bare(t)
		r.Cancel("enough")
		return r.ask("wait", `{}`)
	},
	"unknown_capsule": refusing("unknown_capsule"),
	"unknown_version": refusing("unknown_version"),
	"depth_limit":     refusing("depth_limit"),
	"children_limit":  refusing("children_limit"),
	"host_limit":      refusing("host_limit"),
	"total_limit":     refusing("total_limit"),
	"rate_limit":      refusing("rate_limit"),
	"envelope":        refusing("envelope"),
	"shutting_down":   refusing("shutting_down"),
	"not_found":       func(t *testing.T) string { t.Helper(); return bare(t).ask("await", `{"delegation_ids":["dlg_x"]}`) },
	"io_error": func(t *testing.T) string {
		t.Helper()
		r := bare(t)
		// A file stands where the records' folder for answers should.
		require.NoError(t, os.WriteFile(filepath.Join(r.records.Name(), "out"), nil, 0o600))
		return r.ask("artifact", `{"parts":[{"text":"t"}]}`)
	},
	"internal": func(t *testing.T) string {
		t.Helper()
		return newRig(t, assignment(), hosttest.Answers{
			Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
				return nil, status.Error(codes.Internal, "a fault")
			},
		}).ask("delegate", child)
	},
}

func TestEveryCodeIsReached(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, code := range ops.Codes() {
		known[code.Name] = true
		way, there := reached[code.Name]
		if code.Later != "" {
			assert.False(t, there, "%s is reached: it is no longer for later", code.Name)
			continue
		}
		if !assert.True(t, there, "nothing reaches %s", code.Name) {
			continue
		}
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			var answer struct {
				Error struct {
					Code    string `json:"code"`
					Message string `json:"message"`
					Data    *struct {
						Limit int64 `json:"limit"`
						Value int64 `json:"value"`
					} `json:"data"`
				} `json:"error"`
			}
			text := way(t)
			require.NoError(t, json.Unmarshal([]byte(text), &answer), text)
			assert.Equal(t, code.Name, answer.Error.Code)
			assert.NotEmpty(t, answer.Error.Message)
			if strings.HasSuffix(code.Name, "_limit") || code.Name == "too_large" {
				require.NotNil(t, answer.Error.Data)
				assert.Greater(t, answer.Error.Data.Value, answer.Error.Data.Limit)
			}
		})
	}
	for code := range reached {
		assert.True(t, known[code], "%s is not in the table", code)
	}
}

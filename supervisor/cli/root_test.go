package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func env(vars map[string]string) (Env, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	return Env{
		Stdout: &out, Stderr: &errs, Executable: "/nowhere/supervisor", Version: "test",
		Getenv: func(name string) string { return vars[name] },
	}, &out, &errs
}

func TestNoCommandHidesAFlagOfTheHost(t *testing.T) {
	t.Parallel()
	e, _, _ := env(nil)
	root := newRoot(&e)
	for _, c := range root.Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if c.Flags().Lookup(f.Name) == nil {
				return
			}
			shared := root.PersistentFlags().Lookup(f.Name)
			require.False(t, shared != nil && shared != f && f.Name != "fleet", "%s has its own --%s", c.Name(), f.Name)
		})
	}
}

func TestEveryCommandShowsAnExample(t *testing.T) {
	t.Parallel()
	e, _, _ := env(nil)
	for _, c := range newRoot(&e).Commands() {
		if c.Hidden {
			continue
		}
		require.NotEmpty(t, c.Short, c.Name())
		require.Contains(t, c.Example, "supervisor "+c.Name())
	}
}

func TestAWrongCommandLineIsOneSentenceAndExits2(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"frobnicate":                 "unknown command",
		"ps extra":                   "supervisor ps",
		"ps --no-such":               "unknown flag",
		"ps -o yaml":                 "-o yaml",
		"kill":                       "supervisor kill",
		"kill a b":                   "supervisor kill",
		"kill abcd --grace -1s":      "--grace",
		"kill abcd --grace soon":     "--grace",
		"delegations --only odd":     "--only odd",
		"delegations --status bogus": "ok, error, crashed, terminated, unknown",
		"delegations --status=":      "--status is given and empty",
		"delegations --parent=":      "--parent is given and empty",
		"delegations --all --root=":  "--root is given and empty",
		"delegations --capsule=":     "--capsule is given and empty",
		"kill ses_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f": "a session's id, which `supervisor stop` ends",
		"stop dlg_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f": "a delegation's id, which `supervisor kill` ends",
		"token ses_1":                 "not built into this version",
		"logs":                        "supervisor logs",
		"logs abcd --worker --stdout": "two logs",
		"logs abcd -n -1":             "-n -1",
		"logs abcd -o xml":            "-o xml",
		"events --kind odd":           "--kind odd",
		"events --after -1":           "--after",
		"trace":                       "supervisor trace",
		"stop a b":                    "supervisor stop",
		"stop abcd --grace -1s":       "--grace",
		"launch @1":                   "launch @1",
		"launch x@":                   "launch x@",
		"launch x --task a --task-file /dev/null":                        "two tasks",
		"launch x --task-file /dev/null":                                 "not a regular file",
		"launch x --workdir w --operator tcp://h:1":                      "is absolute",
		"tree -w -o json":                                                "events -f",
		"ps --tls-ca ca.pem":                                             "tcp://HOST:PORT",
		"ps --operator tcp://h:1":                                        "plain TCP is not spoken",
		"ps --operator tcp://h:1 --tls-cert /n --tls-key /n --tls-ca /n": "certificate /n",
		"send a b":               "not built into this version",
		"up --on-exit keep":      "not built into this version",
		"up --on-exit fly":       "--on-exit fly",
		"up --replace":           "not built into this version",
		"up -f /no/such.yaml":    "/no/such.yaml",
		"validate -f /no/such":   "/no/such",
		"ps --operator tcp://x":  "a host and a port",
		"ps --operator http://x": "unix://",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			e, out, errs := env(map[string]string{"HOME": "/nonexistent"})
			require.Equal(t, exitUsage, Run(t.Context(), e, strings.Fields(line)))
			require.Empty(t, out.String())
			require.Contains(t, errs.String(), want)
			require.Equal(t, 1, strings.Count(errs.String(), "\n"), errs.String())
		})
	}
}

func TestWithoutASupervisorACommandExits3AndNamesTheSocket(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"ps", "delegations", "tree", "kill abcd", "stop abcd", "launch x", "logs abcd", "logs abcd -f", "events", "events -f", "trace abcd", "host",
		"tree -w", "ps --all", "delegations --all", "tree --all",
	} {
		e, _, errs := env(map[string]string{"ROOKERY_STATE": "/nonexistent/state"})
		require.Equal(t, exitNoHost, Run(t.Context(), e, strings.Fields(line)), line)
		require.Contains(t, errs.String(), "/nonexistent/state/run/operator.sock")
	}
}

func TestTheStateFolderIsFoundInItsFixedOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flag string
		vars map[string]string
		want string
	}{
		"the flag wins":           {"/flag", map[string]string{"ROOKERY_STATE": "/var", "HOME": "/h"}, "/flag"},
		"then ROOKERY_STATE":      {"", map[string]string{"ROOKERY_STATE": "/var", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/var"},
		"then XDG_STATE_HOME":     {"", map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/rookery"},
		"a relative one is not":   {"", map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/rookery"},
		"then the home folder":    {"", map[string]string{"HOME": "/h"}, "/h/.local/state/rookery"},
		"and nothing without one": {"", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _, _ := env(c.vars)
			dir, err := (&address{env: &e, state: c.flag}).stateDir()
			if c.want == "" {
				require.ErrorContains(t, err, "--state")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, dir)
		})
	}
}

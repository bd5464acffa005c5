package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/fleet"
)

func newLaunch(env *Env, at *address) *cobra.Command {
	var out output
	var task, taskFile, workdir, root string
	c := &cobra.Command{
		Use:   "launch CAPSULE[@VERSION] | --root ID",
		Short: "Start another root capsule on a running host",
		Long: "Starts a capsule of the host's stores as another root. The version may be left out when exactly one is installed. The command returns\n" +
			"when the session is recorded; follow it with `logs -f` or `events -f --session`. Launched roots are named CAPSULE+1, CAPSULE+2 …; the\n" +
			"next `up` does not start them.\n" +
			"With --root a root of the fleet that has ended, or waits to be restarted, runs again at once as the fleet file says; its restarts\n" +
			"are counted anew.",
		Example: "  supervisor launch counter --task 'src/main.go'\n  supervisor launch orchestrator@0.1.0 --task-file plan.md --workdir ./work\n  supervisor launch --root reviewer",
		Args: func(c *cobra.Command, args []string) error {
			if root != "" {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			q := &operatorv1.LaunchCapsuleRequest{RootId: root, Task: task}
			if root == "" {
				var versioned bool
				q.Capsule, q.Version, versioned = strings.Cut(args[0], "@")
				if q.GetCapsule() == "" || versioned && q.GetVersion() == "" {
					return usage("launch %s: name a capsule, as CAPSULE or CAPSULE@VERSION", args[0])
				}
			}
			if q.Workdir, err = at.hostPath(workdir); err != nil {
				return err
			}
			if taskFile != "" {
				if c.Flags().Changed("task") {
					return usage("--task and --task-file are two tasks: give one of them")
				}
				if q.Task, err = readTask(taskFile); err != nil {
					return usage("--task-file %s: %w", taskFile, err)
				}
			}
			return at.call(c.Context(), callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				answer, err := op.LaunchCapsule(ctx, q)
				if err != nil {
					return err
				}
				s := answer.GetSession()
				if asJSON {
					return view.JSONObject(env.Stdout, s)
				}
				_, err = fmt.Fprintln(env.Stdout, view.Clean(fmt.Sprintf("%s %s@%s launched as %s", s.GetSessionId(), s.GetCapsule(), s.GetVersion(), s.GetRootId())))
				return err
			})
		},
	}
	out.flag(c)
	f := c.Flags()
	f.StringVar(&task, "task", "", "the task's text")
	f.StringVar(&taskFile, "task-file", "", "a file that holds the task")
	f.StringVar(&root, "root", "", "a root of the fleet, by its id, instead of a capsule")
	f.StringVar(&workdir, "workdir", "", "the capsule's folder on the host (default: one of its own)")
	return c
}

// hostPath is a path on the host: this machine, unless the host was named over TCP.
func (a *address) hostPath(path string) (string, error) {
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	if strings.HasPrefix(a.operator, "tcp://") {
		return "", usage("--workdir %s: a path on another machine is absolute", path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", usage("--workdir %s: %w", path, err)
	}
	return full, nil
}

// readTask reads a regular file of at most a task's size.
func readTask(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("not a regular file")
	}
	raw, err := io.ReadAll(io.LimitReader(file, fleet.MaxTask+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > fleet.MaxTask:
		return "", fmt.Errorf("more than %d bytes", fleet.MaxTask)
	case !utf8.Valid(raw):
		return "", fmt.Errorf("not UTF-8")
	}
	return string(raw), nil
}

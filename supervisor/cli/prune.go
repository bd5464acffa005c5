package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/daemon"
	"rookery/supervisor/fleet"
	"rookery/supervisor/operator"
)

// pruneTimeout bounds the call: a host removes some hundred trees a second.
const pruneTimeout = 10 * time.Minute

func newPrune(env *Env, at *address) *cobra.Command {
	var out output
	var dry bool
	c := &cobra.Command{
		Use:   "prune",
		Short: "Apply retention now",
		Long: "Removes what the host's retention does not keep any more: the records, work folders and rows of trees that have ended, native code that\n" +
			"no installed capsule uses, and databases that were set aside. A host that runs does so every hour by itself. Without one the fleet file,\n" +
			"if there is one, says what is kept. What lives, and a work folder of your own, is never touched.",
		Example: "  supervisor prune --dry-run\n  supervisor prune -o json | jq .bytes",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			var answer *operatorv1.PruneResponse
			err = at.call(c.Context(), pruneTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) (err error) {
				answer, err = op.Prune(ctx, &operatorv1.PruneRequest{DryRun: dry})
				return err
			})
			if nobody(err) {
				answer, err = pruneHere(c.Context(), env, at, dry, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = view.JSONObject(env.Stdout, answer)
			} else {
				err = printPruned(env, answer, dry)
			}
			if err == nil && len(answer.GetFaults()) > 0 {
				return errQuietFailure
			}
			return err
		},
	}
	out.flag(c)
	c.Flags().BoolVar(&dry, "dry-run", false, "remove nothing, show what would go")
	return c
}

// pruneHere does it in the host's place, while none runs. noHost is the answer when there is no state folder to do it on.
func pruneHere(ctx context.Context, env *Env, at *address, dry bool, noHost error) (*operatorv1.PruneResponse, error) {
	state, found := at.kept()
	if !found {
		return nil, noHost
	}
	_, _ = fmt.Fprintln(env.Stderr, "no supervisor answers: this is done on "+view.Clean(state.Root))
	o := daemon.PruneOptions{StateDir: state.Root, Dry: dry, Log: logger(env, false)}
	if _, err := os.Stat(at.fleetFile()); at.fleet != "" || !errors.Is(err, fs.ErrNotExist) {
		f, _, err := fleet.Load(at.fleetFile(), fleet.Options{})
		if err != nil {
			return nil, usage("%w", err)
		}
		o.Fleet = f
	}
	r, err := daemon.Prune(ctx, o)
	switch {
	case errors.Is(err, daemon.ErrConfig):
		return nil, usage("%w", err)
	case err != nil:
		return nil, failed("%w", err)
	}
	return operator.Pruned(r), nil
}

func printPruned(env *Env, p *operatorv1.PruneResponse, dry bool) error {
	if len(p.GetPruned()) > 0 {
		t := view.NewTable("KIND", "NAME", "CAPSULE", "SESSIONS", "BYTES", "ENDED", "BY")
		now := time.Now()
		for _, i := range p.GetPruned() {
			sessions := ""
			if i.GetSessions() > 0 {
				sessions = fmt.Sprint(i.GetSessions())
			}
			t.Row(i.GetKind(), i.GetName(), i.GetCapsule(), sessions, fmt.Sprint(i.GetBytes()), view.Age(i.GetEndedAt(), now), i.GetReason())
		}
		if err := t.Write(env.Stdout); err != nil {
			return failed("%w", err)
		}
	}
	for _, fault := range p.GetFaults() {
		_, _ = fmt.Fprintln(env.Stderr, "warning: "+view.CleanText(fault))
	}
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	_, err := fmt.Fprintf(env.Stdout, "%s %d trees of %d sessions, %d modules, %d databases: %d bytes; %d bytes are kept\n",
		verb, p.GetTrees(), p.GetSessions(), p.GetModules(), p.GetDatabases(), p.GetBytes(), p.GetKeptBytes())
	return err
}

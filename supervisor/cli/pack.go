package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rookery/capsule/atomicfile"
	"rookery/capsule/pack"
	"rookery/supervisor/cli/internal/view"
)

// packedMode is the mode of an archive and of its digest: both are made to be given away.
const packedMode = 0o644

func newPack(env *Env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "pack DIR",
		Short: "Make a .mur.zip of a capsule's folder",
		Long: "Checks the capsule in DIR and packs its manifest, its module and the files of requires_files into one archive, with its SHA-256 in\n" +
			"a file beside it. The same content gives the same bytes. A store keeps both at <name>/<version>/; the folders of -o are made.",
		Example: "  supervisor pack examples/misbehave/exit3\n  supervisor pack exit3 -o capsules/exit3/0.1.0/exit3-0.1.0" + pack.ArchiveSuffix,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if out != "" && !strings.HasSuffix(filepath.Base(out), pack.ArchiveSuffix) {
				return usage("-o %s: an archive's name ends in %s", out, pack.ArchiveSuffix)
			}
			made, err := pack.Build(args[0])
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return usage("%w", err)
			case err != nil:
				return failed("%w", err)
			}
			for _, w := range made.Package.Warnings {
				_, _ = fmt.Fprintln(env.Stderr, "warning: "+view.CleanText(w.Error()))
			}
			if out == "" {
				out = made.Name
			}
			if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
				return failed("%w", err)
			}
			// The archive first: one whose digest is missing or another's is refused, never run.
			if err := atomicfile.Write(out, made.Data, packedMode); err != nil {
				return failed("%w", err)
			}
			if err := atomicfile.Write(pack.Sidecar(out), []byte(made.Digest+"\n"), packedMode); err != nil {
				return failed("%w", err)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s  %s\n", made.Digest, view.Clean(out))
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the archive (default: <name>-<version>"+pack.ArchiveSuffix+" here)")
	return c
}

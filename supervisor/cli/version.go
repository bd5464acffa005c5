package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"rookery/launcher"
	"rookery/supervisor/daemon"
)

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the build: version, go, engine, kernel",
		Example: "  supervisor version",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			engine := "no worker beside this program"
			if path, err := daemon.FindWorker(env.Executable, ""); err == nil {
				if engine, err = launcher.EngineKey(c.Context(), path); err != nil {
					engine = err.Error()
				}
			}
			_, err := fmt.Fprintf(env.Stdout, "rookery %s\ngo      %s\nengine  %s\nkernel  %s\n", env.Version, goVersion(), engine, kernel())
			return err
		},
	}
}

func goVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.GoVersion
	}
	return runtime.Version()
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown: " + err.Error()
	}
	return unix.ByteSliceToString(u.Release[:])
}

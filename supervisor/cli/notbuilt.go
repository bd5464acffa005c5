package cli

import "github.com/spf13/cobra"

// notBuilt are the commands whose names are fixed and whose work this build does not do yet. Each refuses with a sentence: a
// script that calls one learns it at once.
func notBuilt() []*cobra.Command {
	var out []*cobra.Command
	for _, c := range []struct{ use, short string }{
		{"send TARGET TEXT", "Send an A2A message"},
		{"explain CAPSULE", "Show effective grants"},
		{"token SES", "Show door tokens"},
		{"effects", "Show peer calls whose outcome is unknown"},
	} {
		out = append(out, &cobra.Command{
			Use:                c.use,
			Short:              c.short + " (not in this build)",
			Hidden:             true,
			DisableFlagParsing: true,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return usage("%s is not built into this version yet", cmd.CommandPath())
			},
		})
	}
	return out
}

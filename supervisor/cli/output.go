package cli

import (
	"github.com/spf13/cobra"
)

// output is the -o flag of the reading commands.
type output struct{ format string }

func (o *output) flag(c *cobra.Command) {
	c.Flags().StringVarP(&o.format, "output", "o", "", "table (default on a terminal) or json (default elsewhere)")
	words(c, "output", "table", "json")
}

// json decides the form, or says that there is no such form.
func (o *output) json(env *Env) (bool, error) {
	switch o.format {
	case "json":
		return true, nil
	case "table":
		return false, nil
	case "":
		return !env.Terminal, nil
	}
	return false, usage("-o %s: the forms are table and json", o.format)
}

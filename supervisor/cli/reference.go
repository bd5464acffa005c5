package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Reference is the page about every command, made from the commands themselves. docs/commands.md holds it.
func Reference() string {
	root := newRoot(&Env{})
	var b strings.Builder
	b.WriteString("# Commands\n\n")
	b.WriteString("<!-- Made by `go run ./internal/tools/clidoc > docs/commands.md`; a test compares. Change the commands, not this page. -->\n\n")
	b.WriteString("Results go to stdout, everything else to stderr. Reading commands print a table on a terminal and JSON elsewhere; `-o` chooses. Scripts\n" +
		"read JSON: fields are those of the [operator API](../proto/rookery/operator/v1/operator.proto) and only ever grow. An id may be shortened to\n" +
		"any unique end of it of four characters or more.\n\n" +
		"| Exit code | Meaning |\n|---|---|\n| 0 | done |\n| 1 | the work failed |\n| 2 | the command or its configuration was wrong |\n| 3 | no supervisor answers |\n\n" +
		"The host is found through `--operator`, else `--state`, else `$ROOKERY_STATE`, else `state_dir` of the fleet file, else\n" +
		"`$XDG_STATE_HOME/rookery`, else `~/.local/state/rookery`.\n\n")
	var missing []string
	for _, c := range root.Commands() {
		if c.Hidden {
			missing = append(missing, "`"+c.Name()+"`")
			continue
		}
		section(&b, c)
	}
	fmt.Fprintf(&b, "## completion\n\nPrints a shell's completion script: `bash`, `zsh`, `fish` or `powershell`. Ids are completed from the running host.\n\n"+
		"```sh\nsource <(supervisor completion bash)\n```\n\n")
	b.WriteString("## Flags of every command\n\n")
	flags(&b, root.PersistentFlags())
	b.WriteString("`-f` is short for `--fleet`, but for the commands whose `-f` follows.\n\n")
	fmt.Fprintf(&b, "## Not built yet\n\n%s: refused with a sentence, exit 2.\n", strings.Join(missing, ", "))
	return b.String()
}

func section(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n```sh\nsupervisor %s\n```\n\n", c.Name(), c.Short, c.Use)
	if c.Long != "" {
		b.WriteString(c.Long + "\n\n")
	}
	flags(b, own(c))
	b.WriteString("```sh\n")
	for line := range strings.Lines(c.Example) {
		b.WriteString(strings.TrimPrefix(strings.TrimRight(line, "\n"), "  ") + "\n")
	}
	b.WriteString("```\n\n")
}

// own are a command's flags but those that every command has.
func own(c *cobra.Command) *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && c.Root().PersistentFlags().Lookup(f.Name) == nil {
			set.AddFlag(f)
		}
	})
	return set
}

func flags(b *strings.Builder, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	b.WriteString("| Flag | |\n|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + strings.ToUpper(kind)
		}
		if shown := f.DefValue; shown != "" && shown != "false" && shown != "[]" && shown != "0" {
			usage += " (default " + shown + ")"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, usage)
	})
	b.WriteString("\n")
}

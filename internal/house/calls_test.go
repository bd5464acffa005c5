package house_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
)

// ban names functions of one package that only some files may mention.
type ban struct {
	library string
	names   []string
	allowed func(source) bool
	why     string
}

var bans = []ban{
	{
		"context", []string{"Background", "TO" + "DO"},
		func(s source) bool { return s.isTest() || path.Base(s.path) == "main.go" },
		"every wait belongs to a caller's context; clean-up uses context.WithoutCancel and a named timeout",
	},
	{
		"os", []string{"Environ"}, readsEnvironment,
		"a worker's environment is composed from nothing",
	},
	{
		"syscall", []string{"Environ"}, readsEnvironment,
		"a worker's environment is composed from nothing",
	},
	{
		"os/exec", []string{"Command", "CommandContext", "Cmd"}, startsProcesses,
		"processes are started by the launcher",
	},
	{
		"os", []string{"StartProcess"}, startsProcesses,
		"processes are started by the launcher",
	},
	{
		"syscall", []string{"ForkExec", "StartProcess", "Exec"}, startsProcesses,
		"processes are started by the launcher",
	},
	{
		"time", []string{"Sleep"},
		func(s source) bool { return !s.isTest() },
		"a test waits for its condition, with a bound",
	},
}

func readsEnvironment(s source) bool {
	return s.isTest() || s.path == "supervisor/main.go" || under(s.folder(), "supervisor/cli/...")
}

func startsProcesses(s source) bool {
	return s.isTest() || under(s.folder(), "launcher/...")
}

func calls(s source) []string {
	if s.tree == nil || s.isGuest() {
		return nil
	}
	names := s.localNames()
	var broken []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		ident, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, b := range bans {
			if names[ident.Name] == b.library && slices.Contains(b.names, selector.Sel.Name) && !b.allowed(s) {
				broken = append(broken, fmt.Sprintf("%s: %s.%s: %s", s.line(n), b.library, selector.Sel.Name, b.why))
			}
		}
		return true
	})
	return broken
}

// localNames maps the name by which a file knows each package to its import path.
func (s source) localNames() map[string]string {
	names := map[string]string{}
	paths := s.imports()
	for i, spec := range s.tree.Imports {
		name := path.Base(paths[i])
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = paths[i]
	}
	return names
}

// skips finds t.Skip and its relatives, on whatever the test calls its testing.TB.
func skips(s source) []string {
	if s.tree == nil || !s.isTest() {
		return nil
	}
	var broken []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
			return true
		}
		ident, ok := selector.X.(*ast.Ident)
		if ok && slices.Contains([]string{"t", "b", "f", "tb"}, ident.Name) {
			broken = append(broken, s.line(n)+": a test that does not run on a machine says nothing about it")
		}
		return true
	})
	return broken
}

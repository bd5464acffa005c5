package house_test

import "strings"

// cases are sources that break a law in one place or, when kept is set, come close without breaking it.
var cases = []struct {
	law, name, path, text string
	kept                  bool
}{
	{"imports point down", "supervisor imports worker", "supervisor/x.go", imported("rookery/worker/ops"), false},
	{"imports point down", "worker imports supervisor", "worker/x.go", imported("rookery/supervisor/store"), false},
	{"imports point down", "a test imports sideways", "worker/x_test.go", imported("rookery/launcher/proc"), false},
	{"imports point down", "capsule imports launcher", "capsule/id/x.go", imported("rookery/launcher/proc"), false},
	{"imports point down", "launcher imports supervisor", "launcher/x.go", imported("rookery/supervisor/ledger"), false},
	{"imports point down", "proto imports capsule", "proto/plugin/x.go", imported("rookery/capsule/id"), false},
	{"imports point down", "sdk imports ours", "sdk/go/x.go", imported("rookery/capsule/id"), false},
	{"imports point down", "a guest imports the host", "examples/a/main.go", imported("rookery/capsule/id"), false},
	{"imports point down", "a new folder", "misc/x.go", "package x", false},
	{"imports point down", "an unknown target", "worker/x.go", imported("rookery/misc"), false},
	{"imports point down", "supervisor imports down", "supervisor/x.go", imported("rookery/launcher/proc"), true},
	{"imports point down", "a tool imports worker", "internal/tools/x/x.go", imported("rookery/worker/sandbox/wat"), true},
	{"imports point down", "a guest imports the sdk", "examples/a/main.go", imported("rookery/sdk/go"), true},

	{"a library has its users", "bbolt in the ledger", "supervisor/ledger/x.go", imported("go.etcd.io/bbolt"), false},
	{"a library has its users", "wasmtime in wasi", "worker/wasi/x.go", imported(wasmtime), false},
	{"a library has its users", "go-plugin below worker", "worker/ops/x.go", imported(goPlugin), false},
	{"a library has its users", "a sub-package", "supervisor/x.go", imported(goPlugin + "/runner"), false},
	{"a library has its users", "wasmtime below sandbox", "worker/sandbox/wat/x.go", imported(wasmtime), true},
	{"a library has its users", "go-plugin in worker", "worker/main.go", imported(goPlugin), true},
	{"a library has its users", "a longer name", "supervisor/x.go", imported("go.etcd.io/bboltctl"), true},

	{"helpers of tests stay in tests", "a program", "worker/x.go", imported("rookery/worker/internal/hosttest"), false},
	{"helpers of tests stay in tests", "a test", "worker/x_test.go", imported("rookery/worker/internal/hosttest"), true},
	{"helpers of tests stay in tests", "a helper", "worker/atest/x.go", imported("rookery/worker/btest"), true},

	{"some functions have their places", "a root context", "worker/x.go", using("context", "context.Background()"), false},
	{"some functions have their places", "an alias", "worker/x.go", using(`c "context"`, "c.Background()"), false},
	{"some functions have their places", "an environment", "launcher/x.go", using("os", "os.Environ()"), false},
	{"some functions have their places", "its system call", "launcher/x.go", using("syscall", "syscall.Environ"), false},
	{"some functions have their places", "a command", "supervisor/x.go", using("os/exec", `exec.Command("x")`), false},
	{"some functions have their places", "a bare command", "supervisor/x.go", using("os/exec", "exec.Cmd{}"), false},
	{"some functions have their places", "a fork", "worker/x.go", using("syscall", "syscall.ForkExec"), false},
	{"some functions have their places", "a process", "worker/x.go", using("os", "os.StartProcess"), false},
	{"some functions have their places", "a sleeping test", "worker/x_test.go", using("time", "time.Sleep"), false},
	{"some functions have their places", "a sleeping helper", "integration/x.go", using("time", "time.Sleep"), false},
	{"some functions have their places", "a named helper", "worker/atest/x.go", using("time", "time.Sleep"), false},
	{"some functions have their places", "a guest", "worker/testdata/a/main.go", using("os", "os.Environ()"), true},
	{"some functions have their places", "main", "worker/main.go", using("context", "context.Background()"), true},
	{"some functions have their places", "a test", "worker/x_test.go", using("context", "context.Background()"), true},
	{"some functions have their places", "the launcher", "launcher/x.go", using("os/exec", `exec.Command("x")`), true},
	{"some functions have their places", "a method", "worker/x.go", "package x\nvar _ = context.Background()", true},

	{"tests are not skipped", "skip", "worker/x_test.go", "package x\nfunc f(t T) { t.Skip() }", false},
	{"tests are not skipped", "a benchmark", "worker/x_test.go", "package x\nfunc f(b B) { b.Skipf(``) }", false},
	{"tests are not skipped", "another type", "worker/x_test.go", "package x\nfunc f(r R) { r.Skip() }", true},

	{"a file is a small room", "601 lines", "docs/x.md", strings.Repeat("\n", maxLines+1), false},
	{"a file is a small room", "600 lines", "docs/x.md", strings.Repeat("\n", maxLines), true},

	{"nothing is left for later", "a note", "worker/x.go", "package x // TO" + "DO: more", false},
	{"nothing is left for later", "a word that holds one", "worker/x.go", "package x // mktemp XX" + "XX", true},

	{"no file names a machine", "a home", "docs/x.md", "see /ho" + "me/ann/x", false},
	{"no file names a machine", "the superuser's", "docs/x.md", "`/ro" + "ot/go`", false},
	{"no file names a machine", "a variable's folder", "docs/x.md", "$ROOTFS/ro" + "ot/x and ./ho" + "me/x", true},

	{"every package has its doc.go", "none", "worker/x.go", "package x", false},
	{"every package has its doc.go", "an empty one", "worker/doc.go", "package x", false},
	{"every package has its doc.go", "one", "worker/doc.go", "// Package x does y.\npackage x", true},
	{"every package has its doc.go", "a guest", "examples/a/main.go", "package main", true},
	{"every package has its doc.go", "tests alone", "integration/x_test.go", "package x", true},
}

const (
	wasmtime = "github.com/bytecodealliance/wasmtime-go/v25"
	goPlugin = "github.com/hashicorp/go-plugin"
)

// imported is a Go file that imports one package.
func imported(path string) string {
	return "package x\nimport _ \"" + path + "\""
}

// using is a Go file that imports one package, by another name when it is written as `name "path"`, and mentions
// something of it.
func using(spec, expression string) string {
	if !strings.Contains(spec, `"`) {
		spec = `"` + spec + `"`
	}
	return "package x\nimport " + spec + "\nvar _ = " + expression
}

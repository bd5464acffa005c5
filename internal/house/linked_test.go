package house_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linked is what `go list` says about a package that a program links.
type linked struct {
	ImportPath string
	Standard   bool
	CgoFiles   []string
	Deps       []string
}

// heavy are the libraries that the worker must not link: their package initialisation would be paid at each start of
// a capsule, and most of a start already is initialisation.
var heavy = []string{
	"buf.build/go/protovalidate",
	"buf.build/gen/go/bufbuild/protovalidate",
	"cel.dev/cel-go",
	"github.com/spf13/cobra",
	"github.com/goccy/go-yaml",
	"gopkg.in/yaml.v3",
	"go.yaml.in/yaml",
	"go.opentelemetry.io/otel/sdk",
	"github.com/prometheus",
	"github.com/stretchr/testify",
	"go.etcd.io/bbolt",
	"net/http/pprof",
}

// list asks for two programs and all that they link, in one run. cgo is on, so that a package which needs it shows
// its cgo files instead of being left out.
func list(t *testing.T) map[string]linked {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps",
		"-json=ImportPath,Standard,CgoFiles,Deps", "rookery/supervisor", "rookery/worker")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, stderr.String())

	packages := map[string]linked{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p linked
		require.NoError(t, decoder.Decode(&p))
		packages[p.ImportPath] = p
	}
	return packages
}

// tooHeavy lists what a program links of the heavy libraries.
func tooHeavy(program linked) []string {
	var broken []string
	for _, dependency := range program.Deps {
		for _, library := range heavy {
			if under(dependency, library+"/...") {
				broken = append(broken, fmt.Sprintf("%s links %s", program.ImportPath, dependency))
			}
		}
	}
	return broken
}

// needsC lists what a program links that has C in it. The standard library is passed over: it does without when cgo
// is off. The engine is named as well, since it could one day come without C.
func needsC(program linked, packages map[string]linked) []string {
	var broken []string
	for _, dependency := range program.Deps {
		p := packages[dependency]
		if !p.Standard && len(p.CgoFiles) > 0 || under(dependency, "github.com/bytecodealliance/wasmtime-go/...") {
			broken = append(broken, fmt.Sprintf("%s links %s", program.ImportPath, dependency))
		}
	}
	return broken
}

func TestProgramsLinkOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	packages := list(t)
	supervisor, worker := packages["rookery/supervisor"], packages["rookery/worker"]
	require.NotEmpty(t, supervisor.Deps)
	require.NotEmpty(t, worker.Deps)

	assert.Empty(t, tooHeavy(worker), "initialised at each start of a capsule")
	assert.Empty(t, needsC(supervisor, packages), "the supervisor is pure Go")
	assert.NotEmpty(t, needsC(worker, packages), "the worker links the engine; a check that does not see it sees nothing")
}

func TestProgramsCanLinkTooMuch(t *testing.T) {
	t.Parallel()
	packages := map[string]linked{
		"c":   {ImportPath: "c", CgoFiles: []string{"c.go"}},
		"net": {ImportPath: "net", CgoFiles: []string{"cgo.go"}, Standard: true},
	}
	with := func(dependency ...string) linked { return linked{ImportPath: "p", Deps: dependency} }

	assert.Len(t, needsC(with("c"), packages), 1)
	assert.Len(t, needsC(with(wasmtime), packages), 1)
	assert.Empty(t, needsC(with("net", "fmt"), packages))

	for _, library := range heavy {
		assert.Len(t, tooHeavy(with("fmt", library+"/x")), 1, library)
	}
	assert.Empty(t, tooHeavy(with("fmt", "go.opentelemetry.io/otel")))
}

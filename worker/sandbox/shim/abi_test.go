package shim

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/require"
)

// The compiler compares our prototypes, sizes and offsets with the engine's headers.
func TestTheCopiedInterfaceIsTheEnginesOwn(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bytecodealliance/wasmtime-go/v25").Output()
	require.NoError(t, err)
	include := filepath.Join(strings.TrimSpace(string(out)), "build", "include")
	compile := func(text string, flags ...string) (string, error) {
		cc := os.Getenv("CC")
		if cc == "" {
			cc = "cc"
		}
		c := exec.Command(cc, append([]string{"-fsyntax-only", "-Wall", "-Werror", "-I.", "-I" + include, "-xc", "-"}, flags...)...)
		c.Stdin = strings.NewReader(text)
		b, err := c.CombinedOutput()
		return string(b), err
	}
	const source = "#include \"shim.h\"\n"
	for _, flags := range [][]string{nil, {"-DROOKERY_REAL_HEADERS"}} {
		text, err := compile(source, flags...)
		require.NoError(t, err, text)
	}
	_, err = compile(source+"int wasmtime_memory_data_size(void);", "-DROOKERY_REAL_HEADERS")
	require.Error(t, err, "a prototype that differs does not compile")
}

func TestTheBindingKeepsTheLinkerWhereWeLook(t *testing.T) {
	t.Parallel()
	f, ok := reflect.TypeFor[wasmtime.Linker]().FieldByName("_ptr")
	require.True(t, ok)
	require.Equal(t, reflect.Pointer, f.Type.Kind())
	require.Equal(t, "_Ctype_struct_wasmtime_linker", f.Type.Elem().Name())
}

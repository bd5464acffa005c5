package wasisuite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/require"
)

// program writes "hi" to stdout, makes a file "made" in descriptor 3 if there is one,
// and exits with the number of its arguments.
const program = `(module
	(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
	(import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "path_create_directory" (func $mkdir (param i32 i32 i32) (result i32)))
	(memory (export "memory") 1)
	(data (i32.const 0) "\10\00\00\00\02\00\00\00")
	(data (i32.const 16) "hi")
	(data (i32.const 32) "made")
	(func (export "_start")
		(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))
		(drop (call $mkdir (i32.const 3) (i32.const 32) (i32.const 4)))
		(drop (call $args (i32.const 64) (i32.const 68)))
		(call $exit (i32.load (i32.const 64)))))`

const (
	quiet   = `(module (func (export "_start")))`
	trapped = `(module (func (export "_start") (unreachable)))`
	endless = `(module (func (export "_start") (loop (br 0))))`
	library = `(module)`
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, text := range files {
		if strings.HasSuffix(name, ".wasm") {
			wasm, err := wasmtime.Wat2Wasm(text)
			require.NoError(t, err)
			text = string(wasm)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func verdicts(ctx context.Context, t *testing.T, dir string) (map[string]string, error) {
	t.Helper()
	r, err := New()
	require.NoError(t, err)
	defer r.Close()
	got := map[string]string{}
	err = r.Run(ctx, dir, func(v Result) {
		rel, err := filepath.Rel(dir, v.Path)
		require.NoError(t, err)
		got[rel] = "pass"
		if v.Err != nil {
			got[rel] = v.Err.Error()
		}
	})
	return got, err
}

func TestProgramsAreJudgedByTheirFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"quiet.wasm":     quiet,
		"sub/quiet.wasm": quiet,
		"args.wasm":      program, "args.json": `{"args": ["a", "b"], "exit_code": 3, "stdout": "hi", "stderr": ""}`,
		"dirs.wasm": program, "dirs.json": `{"dirs": ["data"], "exit_code": 1}`,
		"root.wasm": program, "root.json": `{"root": "data", "env": {"A": "1"}, "exit_code": 1}`,
		"exit.wasm": program, "exit.json": `{"exit_code": 7}`,
		"stdout.wasm": program, "stdout.json": `{"exit_code": 1, "stdout": "ho"}`,
		"stderr.wasm": quiet, "stderr.json": `{"stderr": "something"}`,
		"unknown.wasm": quiet, "unknown.json": `{"operations": []}`,
		"nodir.wasm": quiet, "nodir.json": `{"root": "missing"}`,
		"trap.wasm": trapped, "library.wasm": library,
		"wasm32-wasip1/quiet.wasm": quiet, "wasm32-wasip3/trap.wasm": trapped,
		"data/file": "",
	}
	dir := folder(t, files)
	got, err := verdicts(t.Context(), t, dir)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"quiet.wasm": "pass", "sub/quiet.wasm": "pass", "wasm32-wasip1/quiet.wasm": "pass", "args.wasm": "pass", "dirs.wasm": "pass", "root.wasm": "pass",
		"exit.wasm": "exit 1 instead of 7", "stdout.wasm": `stdout is "hi" instead of "ho"`, "stderr.wasm": `stderr is ""`,
		"unknown.wasm": "unknown field", "nodir.wasm": "no such file", "trap.wasm": "unreachable", "library.wasm": "no _start",
	} {
		require.Contains(t, got[name], want, name)
		delete(got, name)
	}
	require.Empty(t, got)
	list, err := os.ReadDir(filepath.Join(dir, "data"))
	require.NoError(t, err)
	require.Len(t, list, 1, "programs work in copies")
}

func TestAnEmptyFolderIsAnError(t *testing.T) {
	t.Parallel()
	_, err := verdicts(t.Context(), t, folder(t, map[string]string{"x.json": "{}"}))
	require.ErrorContains(t, err, "no *.wasm file")
}

func TestAnEndlessProgramEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	got, err := verdicts(ctx, t, folder(t, map[string]string{"a.wasm": endless, "b.wasm": quiet}))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Contains(t, got["a.wasm"], "interrupt")
	require.NotContains(t, got, "b.wasm")
}

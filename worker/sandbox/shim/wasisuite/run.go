package wasisuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"golang.org/x/sys/unix"

	"rookery/worker/sandbox/shim"
	"rookery/worker/wasi"
)

// deadline is what one program may take; the slowest of the public suite takes a tenth
// of a second.
const deadline = 30 * time.Second

// maxWasmStack is what Go's own runner for wasip1 gives its test programs, in bytes.
const maxWasmStack = 1 << 20

// Result is the verdict on one program.
type Result struct {
	Path string
	Err  error // nil: passed
	Took time.Duration
}

// Runner holds the engine and the linked functions that all programs share. It is used
// by one goroutine.
type Runner struct {
	engine  *wasmtime.Engine
	linker  *wasmtime.Linker
	imports *shim.Imports
}

// New prepares a Runner. Close ends it.
func New() (*Runner, error) {
	config := wasmtime.NewConfig()
	config.SetEpochInterruption(true)
	config.SetMaxWasmStack(maxWasmStack)
	r := &Runner{engine: wasmtime.NewEngineWithConfig(config)}
	r.linker = wasmtime.NewLinker(r.engine)
	imports, err := shim.Define(r.linker, shim.WASI(func(host any) *wasi.Host { return host.(*wasi.Host) }))
	if err != nil {
		r.Close()
		return nil, err
	}
	r.imports = imports
	return r, nil
}

// Close frees the engine.
func (r *Runner) Close() {
	r.linker.Close()
	r.engine.Close()
}

// Run runs every *.wasm file in and below dir, in the order of their paths, and tells
// each verdict as it falls. Folders that the public suite names after another version
// of WASI are left out. It fails if there is none, or if ctx ends.
func (r *Runner) Run(ctx context.Context, dir string, tell func(Result)) error {
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && foreign(d.Name()) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".wasm") {
			return err
		}
		found = true
		start := time.Now()
		err = r.one(ctx, path)
		tell(Result{Path: path, Err: err, Took: time.Since(start)})
		return context.Cause(ctx)
	})
	if err == nil && !found {
		return fmt.Errorf("%s: no *.wasm file in it", dir)
	}
	return err
}

// foreign knows wasm32-wasip2 and wasm32-wasip3.
func foreign(folder string) bool {
	version, ok := strings.CutPrefix(folder, "wasm32-wasip")
	return ok && version != "1"
}

// one runs a program and judges it.
func (r *Runner) one(ctx context.Context, path string) error {
	s, err := readSpec(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	stop := context.AfterFunc(ctx, r.engine.IncrementEpoch)
	defer stop()

	dirs, err := preopens(filepath.Dir(path), s)
	if err != nil {
		return err
	}
	defer dirs.remove()
	var stdout, stderr bytes.Buffer
	host, err := wasi.New(wasi.Config{
		Args: append([]string{filepath.Base(path)}, s.Args...), Env: s.environ(),
		Stdout: &stdout, Stderr: &stderr, Preopens: dirs.list, Ctx: ctx,
	})
	if err != nil {
		return err
	}
	exit, err := r.start(ctx, host, path)
	if err := errors.Join(err, host.Close()); err != nil {
		return fmt.Errorf("%w; stderr: %.2000s", err, stderr.String())
	}
	return s.judge(exit, stdout.String(), stderr.String())
}

// start runs a program to its end. A trap is an error.
func (r *Runner) start(ctx context.Context, host *wasi.Host, path string) (exit uint32, err error) {
	module, err := wasmtime.NewModuleFromFile(r.engine, path)
	if err != nil {
		return 0, err
	}
	defer module.Close()
	store := wasmtime.NewStore(r.engine)
	defer store.Close()
	store.SetEpochDeadline(1)
	if err := context.Cause(ctx); err != nil { // the epoch may have passed while compiling
		return 0, err
	}
	seat, err := r.imports.Attach(store, host)
	if err != nil {
		return 0, err
	}
	defer seat.Detach()
	instance, err := r.linker.Instantiate(store, module)
	if err != nil {
		return 0, err
	}
	main := instance.GetFunc(store, "_start")
	if main == nil {
		return 0, errors.New("no _start: not a command")
	}
	_, err = main.Call(store)
	if ended := new(wasi.ExitError); errors.As(seat.Err(), &ended) {
		return ended.Code, nil
	}
	return 0, err
}

// folders are the copies that a program works in.
type folders struct {
	top  string
	list []wasi.Preopen
}

func preopens(beside string, s spec) (*folders, error) {
	top, err := os.MkdirTemp("", "rkwasi")
	if err != nil {
		return nil, err
	}
	f := &folders{top: top}
	add := func(dir, name string) error {
		to := filepath.Join(top, dir)
		if err := os.CopyFS(to, os.DirFS(filepath.Join(beside, dir))); err != nil {
			return err
		}
		fd, err := unix.Open(to, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			f.list = append(f.list, wasi.Preopen{FD: fd, Name: name})
		}
		return err
	}
	if s.Root != "" {
		err = add(s.Root, "/")
	}
	for _, d := range s.Dirs {
		err = errors.Join(err, add(d, d))
	}
	if err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

func (f *folders) remove() {
	for _, p := range f.list {
		unix.Close(p.FD)
	}
	_ = os.RemoveAll(f.top)
}

package sandbox

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"golang.org/x/sys/unix"
)

// streams are the files behind the guest's standard descriptors for one task.
type streams struct {
	files  []*os.File
	copies sync.WaitGroup
}

// attach gives the store its arguments, environment, folders and streams.
func (r *run) attach(store *wasmtime.Store) (*streams, error) {
	config := wasmtime.NewWasiConfig()
	config.SetArgv(r.task.Args)
	var names, values []string
	for _, pair := range r.task.Env {
		name, value, _ := strings.Cut(pair, "=")
		names, values = append(names, name), append(values, value)
	}
	config.SetEnv(names, values)
	s := &streams{}
	err := errors.Join(
		s.input(config, r.task.Stdin),
		s.output(config.SetStdoutFile, r.task.Stdout),
		s.output(config.SetStderrFile, r.task.Stderr),
		preopen(config, r.task.Work, "/"),
		preopen(config, r.task.Runtime, "/murmur-runtime"),
	)
	if err != nil {
		config.Close()
		s.finish()
		return nil, err
	}
	store.SetWasi(config)
	return s, nil
}

func preopen(config *wasmtime.WasiConfig, fd int, name string) error {
	if fd < 0 {
		return nil
	}
	return config.PreopenDir(procFD(fd), name)
}

func (s *streams) input(config *wasmtime.WasiConfig, text []byte) error {
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "stdin")
	s.files = append(s.files, f)
	if _, err := f.Write(text); err != nil {
		return err
	}
	return config.SetStdinFile(procFD(fd))
}

// output copies what the guest writes until the engine has closed its end.
func (s *streams) output(set func(string) error, to io.Writer) error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	err := set(procFD(p[1]))
	_ = unix.Close(p[1])
	from := os.NewFile(uintptr(p[0]), "output")
	s.files = append(s.files, from)
	s.copies.Go(func() { _, _ = io.Copy(to, from) })
	return err
}

// finish returns when all output has been copied; the store has been closed before.
func (s *streams) finish() {
	s.copies.Wait()
	for _, f := range s.files {
		_ = f.Close()
	}
}

func procFD(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"rookery/capsule/linelog"
)

// stdio is what descriptors 1 and 2 are about. The handshake leaves through a copy of
// the pipe that was on 1, and both 1 and 2 are the worker's log: a process that keeps
// the pipe on 1 is killed by SIGPIPE at its first print after the supervisor has died.
type stdio struct {
	// stderr is descriptor 2. It must stay referenced: a second file made of the number
	// would close the descriptor when it is collected.
	stderr *os.File
	log    *linelog.Log
	silent sync.Once
	pipe   *os.File
}

// takeStdio moves the pipe away from 1 and makes it os.Stdout, where go-plugin prints
// its line.
func takeStdio() (*stdio, error) {
	n, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 10)
	if err != nil {
		return nil, fmt.Errorf("keep the handshake's pipe: %w", err)
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, fmt.Errorf("log on standard output: %w", err)
	}
	s := &stdio{stderr: os.Stderr, pipe: os.NewFile(uintptr(n), "handshake")}
	s.log = linelog.New(s.stderr, linelog.DefaultMaxBytes, linelog.DefaultMaxLine)
	os.Stdout = s.pipe
	return s, nil
}

// spoken closes the handshake's pipe and undoes what go-plugin did to os.Stdout and
// os.Stderr: it has put pipes there that fill when no supervisor reads them.
func (s *stdio) spoken() {
	s.silent.Do(func() {
		os.Stdout, os.Stderr = s.stderr, s.stderr
		_ = s.pipe.Close() // nothing more is said there
	})
}

// logger writes to the worker's log, which redacts and is bounded.
func (s *stdio) logger() zerolog.Logger {
	return zerolog.New(s.log).With().Timestamp().Int("pid", os.Getpid()).Logger()
}

// pluginLogger is what go-plugin tells its failures to; with none it ends in silence.
func (s *stdio) pluginLogger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Name: "plugin", Level: hclog.Warn, Output: io.Writer(s.log), JSONFormat: true})
}

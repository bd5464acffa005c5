package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/supervisor/store"
)

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// helperVar makes the test binary play another process: "<role> <path>".
const helperVar = "ROOKERY_STORE_TEST_HELPER"

func TestMain(m *testing.M) {
	role, path, isHelper := strings.Cut(os.Getenv(helperVar), " ")
	if !isHelper {
		os.Exit(m.Run())
	}
	roles := map[string]func(string) error{
		"write": writeForEver, "lock": holdLock, "open": holdOpen, "full": writeOnFullDisk,
	}
	if err := roles[role](path); err != nil {
		say(err.Error())
		os.Exit(1)
	}
}

// say prints a line for the test that plays this process. A test that is gone
// needs no line.
func say(line string) { _, _ = fmt.Fprintln(os.Stdout, line) }

// other starts the test binary in a role; its lines come through lines.
func other(t *testing.T, role, path string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0])
	cmd.Env = []string{helperVar + "=" + role + " " + path}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

// writeForEver acknowledges on stdout every row that Update said was durable.
func writeForEver(path string) error {
	s, _, err := store.Open(path, patience)
	if err != nil {
		return err
	}
	acks := make(chan string)
	for writer := range 4 {
		go func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d-%d", writer, n)
				err := s.Update(context.Background(), func(tx *store.Tx) error {
					return errors.Join(tx.Put("rows", key, []byte(key)), tx.Put("pairs", key, []byte(key)))
				})
				if err != nil {
					key = err.Error()
				}
				acks <- key
			}
		}()
	}
	for ack := range acks {
		say(ack)
	}
	return nil
}

func holdLock(path string) error {
	if _, err := store.Lock(path); err != nil {
		return err
	}
	say("held")
	<-make(chan struct{})
	return nil
}

func holdOpen(path string) error {
	if _, _, err := store.Open(path, patience); err != nil {
		return err
	}
	say("open")
	<-make(chan struct{})
	return nil
}

// writeOnFullDisk lets the kernel refuse every byte beyond the file's size, as a
// full disk does, and then gives the room back.
func writeOnFullDisk(path string) error {
	signal.Ignore(unix.SIGXFSZ)
	s, _, err := store.Open(path, patience)
	if err != nil {
		return err
	}
	put := func(key string, size int) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			tx.After(func(err error) { say(fmt.Sprint(key, " committed: ", err == nil)) })
			return tx.Put("rows", key, make([]byte, size))
		})
	}
	if err := put("before", 10); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var whole unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &whole); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(info.Size()), Max: whole.Max}); err != nil {
		return err
	}
	if put("full", 1<<20) == nil {
		return errors.New("a commit without room for it succeeded")
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &whole); err != nil {
		return err
	}
	if err := put("after", 1<<20); err != nil {
		return err
	}
	return s.Close()
}

// folder is removed when the test ends.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// open opens a store that the test closes.
func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, warning, err := store.Open(path, patience)
	require.NoError(t, err)
	require.Empty(t, warning)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func put(t *testing.T, s *store.Store, key, value string) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.Put("rows", key, []byte(value)) }))
}

// rows reads a bucket.
func rows(t *testing.T, s *store.Store, bucket string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, s.View(func(snapshot *store.Snapshot) error {
		return snapshot.Each(bucket, func(key string, value []byte) error {
			got[key] = string(value)
			return nil
		})
	}))
	return got
}

// filled makes a closed file with many rows and returns its path.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(folder(t), "state.db")
	s, _, err := store.Open(path, patience)
	require.NoError(t, err)
	for n := range 40 {
		put(t, s, fmt.Sprintf("key-%03d", n), strings.Repeat(fmt.Sprintf("%03d", n), 300))
	}
	require.NoError(t, s.Close())
	return path
}

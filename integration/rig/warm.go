package rig

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
)

// stores are where the capsules of the tests and examples are found.
var stores = []string{Misbehave, Own, Hostile, Relay, "examples/census/capsules"}

// warm is a state folder whose cache holds the native code of every capsule in the stores. Compiling takes a second of two cores for
// each Go guest, which most tests are not about: they begin with a copy. It is made again when an engine or a capsule has changed.
var warm = sync.OnceValues(func() (layout.State, error) {
	kept := layout.State{Root: Path(".cache/warm")}
	unlock, err := lock("warm")
	if err != nil {
		return kept, err
	}
	defer unlock()
	key, err := warmKey()
	if err != nil {
		return kept, err
	}
	made := filepath.Join(kept.Root, "made-of")
	if text, err := os.ReadFile(made); err == nil && string(text) == key {
		return kept, nil
	}
	// The repository's own path may be too long for a state folder.
	short, err := os.MkdirTemp("", "rk")
	if err != nil {
		return kept, err
	}
	defer func() { _ = os.RemoveAll(short) }()
	for _, store := range stores {
		cmd := exec.Command(filepath.Join(Path("bin"), "supervisor"), "--state", short, "compile", Path(store))
		cmd.Env = []string{}
		if out, err := cmd.CombinedOutput(); err != nil {
			return kept, fmt.Errorf("compile %s: %w\n%s", store, err, out)
		}
	}
	if err := os.RemoveAll(kept.Root); err != nil {
		return kept, err
	}
	if err := share(layout.State{Root: short}, kept); err != nil {
		return kept, err
	}
	return kept, os.WriteFile(made, []byte(key), 0o600)
})

// warmKey is a digest of everything that native code depends on.
func warmKey() (string, error) {
	sum := sha256.New()
	worker := exec.Command(filepath.Join(Path("bin"), "worker"), "engine-key")
	worker.Env = []string{"ROOKERY_WORKER=launched"}
	out, err := worker.Output()
	if err != nil {
		return "", fmt.Errorf("worker engine-key: %w", err)
	}
	_, _ = sum.Write(out)
	for _, store := range stores {
		modules, err := filepath.Glob(filepath.Join(Path(store), "*", "*.wasm"))
		if err != nil {
			return "", err
		}
		slices.Sort(modules)
		for _, path := range modules {
			raw, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			digest := sha256.Sum256(raw)
			_, _ = sum.Write(digest[:])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// heat gives a state folder that does not exist yet the native code of the stores.
func heat(t testing.TB, state layout.State) {
	t.Helper()
	from, err := warm()
	require.NoError(t, err)
	require.NoError(t, share(from, state))
}

// share copies what makes a state folder with native code: its mark, its database and the code. A second name for the code would cost
// nothing, but it changes the file's status under a supervisor that is reading it, who then refuses it.
func share(from, to layout.State) error {
	if err := os.MkdirAll(to.Modules(), 0o700); err != nil {
		return err
	}
	for _, path := range []string{from.DB(), filepath.Join(from.Root, layout.Marker)} {
		if err := copyFile(path, filepath.Join(to.Root, filepath.Base(path))); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(from.Modules())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cwasm") {
			continue
		}
		if err := copyFile(filepath.Join(from.Modules(), e.Name()), filepath.Join(to.Modules(), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errorsOf(err, out.Close())
}

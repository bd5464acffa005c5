package wasisuite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
)

// spec is a program's JSON file. A program without one runs with the zero spec.
type spec struct {
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Root     string            `json:"root"` // preopened as /
	Dirs     []string          `json:"dirs"` // preopened by their names
	ExitCode uint32            `json:"exit_code"`
	Stdout   *string           `json:"stdout"` // nil: anything
	Stderr   *string           `json:"stderr"`
}

// readSpec reads the file beside a program. An unknown key is an error: it would be a
// demand that this runner does not know.
func readSpec(wasm string) (s spec, err error) {
	name := strings.TrimSuffix(wasm, ".wasm") + ".json"
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s spec) environ() (env []string) {
	for k, v := range s.Env {
		env = append(env, k+"="+v)
	}
	sort.Strings(env)
	return env
}

// judge compares what a program did with what it should do.
func (s spec) judge(exit uint32, stdout, stderr string) error {
	switch {
	case exit != s.ExitCode:
		return fmt.Errorf("exit %d instead of %d; stderr: %.2000s", exit, s.ExitCode, stderr)
	case s.Stdout != nil && stdout != *s.Stdout:
		return fmt.Errorf("stdout is %.200q instead of %.200q", stdout, *s.Stdout)
	case s.Stderr != nil && stderr != *s.Stderr:
		return fmt.Errorf("stderr is %.200q instead of %.200q", stderr, *s.Stderr)
	}
	return nil
}

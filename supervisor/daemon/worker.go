package daemon

import (
	"fmt"
	"os"
	"path/filepath"
)

// FindWorker is the path of the worker program: the one given, or the one beside this program's own file.
func FindWorker(executable, given string) (string, error) {
	path := given
	if path == "" {
		real, err := filepath.EvalSymlinks(executable)
		if err != nil {
			return "", fmt.Errorf("find the worker program beside %s: %w", executable, err)
		}
		path = filepath.Join(filepath.Dir(real), "worker")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("worker program %s: %w", path, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && given == "":
		return "", fmt.Errorf("there is no worker program beside the supervisor (%s): build it, or name it with --worker", path)
	case err != nil:
		return "", fmt.Errorf("worker program %s: %w", path, err)
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return "", fmt.Errorf("worker program %s: it is not an executable file", path)
	}
	return path, nil
}

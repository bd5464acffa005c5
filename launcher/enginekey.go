package launcher

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// engineKeyTimeout bounds asking a worker program for its engine: it prints two lines, in about 30 ms.
const engineKeyTimeout = 30 * time.Second

// EngineKey asks the worker program for its engine, see the function of that name.
func (l *Launcher) EngineKey(ctx context.Context) (string, error) {
	return EngineKey(ctx, l.config.WorkerPath)
}

// EngineKey asks a worker program, as `worker engine-key`, for the name of its engine and its settings: native code that was made
// under another key is of no use to it. The error names the program and holds what it printed, escaped.
func EngineKey(ctx context.Context, workerPath string) (string, error) {
	if err := runnable(workerPath); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, engineKeyTimeout, fmt.Errorf("no answer within %v", engineKeyTimeout))
	defer cancel()
	said, err := tool{path: workerPath, verb: "engine-key"}.run(ctx)
	if err != nil {
		return "", fmt.Errorf("ask worker program %s for its engine: %w", workerPath, err)
	}
	// The second line is the program's build, for people.
	key, _, whole := strings.Cut(said, "\n")
	if key == "" || !whole || strings.Contains(key, "\x00") {
		return "", fmt.Errorf("ask worker program %s for its engine: it printed %.80q, not a line of its own", workerPath, said)
	}
	return key, nil
}

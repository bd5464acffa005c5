package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"golang.org/x/sys/unix"
)

// Module is native code mapped into this process. Its pages are the file's: workers
// that map the same file share them. It may be used by several goroutines; their calls
// take turns.
type Module struct {
	engine *engine
	native *wasmtime.Module // nil once closed
}

// Load maps what [Compile] made. fd is a descriptor of a regular file that nobody
// writes to any more; it is the caller's and may be closed as soon as Load returns.
// The code runs as it is: the caller has compared its digest with the one that the
// supervisor recorded. Code made under another engine key, and a file that was cut
// short, are refused.
func Load(fd int) (*Module, error) {
	e, err := theEngine()
	if err != nil {
		return nil, err
	}
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("load native code: descriptor %d: %w", fd, err)
	}
	file := os.NewFile(uintptr(own), "native code")
	defer func() { _ = file.Close() }()
	if err := checkSeal(file); err != nil {
		return nil, fmt.Errorf("load native code: %w", err)
	}
	e.lock()
	defer e.release()
	native, err := wasmtime.NewModuleDeserializeFile(e.native, "/proc/self/fd/"+strconv.Itoa(own))
	if err != nil {
		return nil, fmt.Errorf("load native code: %w", plain(err))
	}
	// Close drops it in its turn or nobody does: the binding's finalizer would not wait.
	runtime.SetFinalizer(native, nil)
	return &Module{engine: e, native: native}, nil
}

// Close unmaps the module, after a task that is running it. It may be called twice.
func (m *Module) Close() {
	m.engine.lock()
	defer m.engine.release()
	if m.native != nil {
		m.native.Close()
		m.native = nil
	}
}

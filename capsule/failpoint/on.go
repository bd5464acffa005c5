//go:build failpoint

package failpoint

import (
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Built reports whether this program has failpoints.
const Built = true

// pauseStep is how often a paused process looks for its file.
const pauseStep = 2 * time.Millisecond

var armed = sync.OnceValue(func() *points {
	commands, err := parse(os.Getenv(Env))
	if err != nil {
		// A test that arms nothing would pass without testing anything.
		panic(err)
	}
	return &points{commands: commands}
})

type points struct {
	mu       sync.Mutex // guards commands
	commands map[string]command
}

// take returns a point's command the first time.
func (p *points) take(point string) (command, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.commands[point]
	delete(p.commands, point)
	return c, ok
}

// Inherit is what a launcher adds to the environment of a worker of capsule: what
// of this process's own variable is meant for it.
func Inherit(capsule string) []string {
	value := For(os.Getenv(Env), capsule)
	if value == "" {
		return nil
	}
	return []string{Env + "=" + value}
}

// Hit marks a point: if it is armed, its action happens here.
func Hit(point string) {
	c, ok := armed().take(point)
	if !ok {
		return
	}
	switch c.action {
	case "kill":
		signal(unix.SIGKILL)
	case "abort":
		signal(unix.SIGABRT)
	case "segv":
		signal(unix.SIGSEGV)
	case "stop":
		if err := unix.Kill(os.Getpid(), unix.SIGSTOP); err != nil {
			panic(err)
		}
	case "exit":
		code, _ := strconv.Atoi(c.arg) // parse has checked it
		os.Exit(code)
	case "pause":
		pause(c.arg)
	}
}

// signal ends the process by sig and does not return.
func signal(sig unix.Signal) {
	if err := unix.Kill(os.Getpid(), sig); err != nil {
		panic(err)
	}
	select {}
}

// pause says where the process stands and waits for the file.
func pause(path string) {
	if err := os.WriteFile(path+".hit", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(pauseStep)
	}
}

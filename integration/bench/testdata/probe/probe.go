// This file is compiled into the supervisor of some benchmarks, see newProbed, and into no other: on SIGUSR1 it collects garbage and
// writes what is left, and how many goroutines there are, to the file that its environment names.
package main

import (
	"encoding/json"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

func init() {
	path := os.Getenv("ROOKERY_PROBE")
	if path == "" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGUSR1)
	go func() {
		for range asked {
			// What a finalizer lets go of is garbage at the second collection.
			runtime.GC()
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			text, err := json.Marshal(map[string]uint64{"goroutines": uint64(runtime.NumGoroutine()), "heap": memory.HeapAlloc})
			if err != nil {
				panic(err)
			}
			if err := os.WriteFile(path+".part", text, 0o600); err != nil {
				panic(err)
			}
			if err := os.Rename(path+".part", path); err != nil {
				panic(err)
			}
		}
	}()
}

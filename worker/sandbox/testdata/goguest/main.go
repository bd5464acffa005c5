// A guest with a whole language runtime: does what its first argument says.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	switch os.Args[1] {
	case "see":
		see()
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		for range 1024 {
			fmt.Print(line)
			fmt.Fprint(os.Stderr, line)
		}
	case "hoard":
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<20))
			kept[len(kept)-1][0] = 1
		}
	case "sleep":
		time.Sleep(20 * time.Millisecond)
	case "exit":
		os.Exit(5)
	case "panic":
		panic("a fault of the guest")
	case "write":
		// Each further argument is a path and a number of bytes.
		for _, arg := range os.Args[2:] {
			path, n, _ := strings.Cut(arg, "=")
			bytes, _ := strconv.Atoi(n)
			fmt.Println(path, os.WriteFile(path, make([]byte, bytes), 0o600))
		}
	case "deadlock":
		select {}
	}
}

// see prints all that the guest is shown and writes its answer.
func see() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println("stdin:", in.Text())
	}
	fmt.Println("args:", os.Args)
	fmt.Println("env:", os.Environ())
	task, err := os.ReadFile("murmur-runtime/task.md")
	fmt.Println("task:", string(task), err)
	fmt.Println("change:", os.WriteFile("murmur-runtime/task.md", []byte("mine"), 0o600) != nil)
	_ = os.WriteFile("../out.txt", nil, 0o600)
	if err := os.MkdirAll("out", 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile("out/result.txt", []byte("done"), 0o600); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "seen")
}

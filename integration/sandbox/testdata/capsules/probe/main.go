// A guest that tries what its task's first word says, and reports on its standard output as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	verb, rest, _ := strings.Cut(string(text), " ")
	switch verb {
	case "escape":
		top = rest
		report(escape())
	case "swap":
		report(swapped())
	case "touch":
		report(touch(strings.Fields(rest)))
	case "sleep":
		time.Sleep(time.Hour)
	case "fifo":
		f, err := os.Open("pipe")
		if err == nil {
			_, err = f.Read(make([]byte, 1))
		}
		fmt.Println("the FIFO answered:", err)
	case "poll":
		fmt.Println("the poll answered:", pollForever())
	case "open":
		report(openForever())
	case "files":
		report(makeForever())
	case "fill":
		report(fillForever())
	case "flood":
		flood()
	default:
		panic("unknown: " + verb)
	}
}

func report(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

// touch writes one byte to each path, and says what came of it.
func touch(paths []string) map[string]string {
	said := map[string]string{}
	for _, path := range paths {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			said[path] = err.Error()
			continue
		}
		said[path] = "written"
	}
	return said
}

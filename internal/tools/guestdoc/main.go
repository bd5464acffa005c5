package main

import (
	"fmt"
	"os"

	"rookery/worker/ops/guide"
)

// path is the page.
const path = "docs/guest-interface.md"

func main() {
	page, err := guide.Render()
	if err == nil {
		err = os.WriteFile(path, page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guestdoc:", err)
		os.Exit(1)
	}
}

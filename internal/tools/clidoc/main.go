package main

import (
	"fmt"

	"rookery/supervisor/cli"
)

func main() { fmt.Print(cli.Reference()) }

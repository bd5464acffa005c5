// Command clidoc prints docs/commands.md, the page about every command of `supervisor`, from the commands themselves:
//
//	go run ./internal/tools/clidoc > docs/commands.md
//
// A test of supervisor/cli compares the page with what it would print.
package main

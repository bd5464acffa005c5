package murmur

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// AnswerFile is where a capsule leaves its answer, relative to the work folder.
const AnswerFile = "out/result.txt"

// Main is the life of a capsule: it hands do the task and leaves what do returns as the answer. An error goes to stderr
// and ends the capsule with exit 1, which its parent is told as StatusError; an answer returned beside it is left
// all the same. A do that has answered by Artifact or Finish returns "" and leaves it at that.
func Main(do func(task string) (answer string, err error)) {
	if err := serve(os.Stdin, ".", do); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // it is the author's whole main
	}
}

// Task reads the task text, which is all of stdin. It can be read once.
func Task() (string, error) { return read(os.Stdin) }

// Answer leaves text as the answer, in place of an earlier one. A capsule that is ended while it writes leaves the
// earlier one or none, never a part.
func Answer(text string) error { return leave(".", text) }

func serve(stdin io.Reader, work string, do func(task string) (answer string, err error)) error {
	task, err := read(stdin)
	if err != nil {
		return err
	}
	answer, failed := do(task)
	if answer != "" || failed == nil && !answered.Load() {
		if err := leave(work, answer); err != nil {
			return err
		}
	}
	return failed
}

func read(stdin io.Reader) (string, error) {
	text, err := io.ReadAll(stdin)
	if err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	return string(text), nil
}

func leave(work, text string) error {
	file := filepath.Join(work, AnswerFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	unfinished := file + ".part"
	if err := os.WriteFile(unfinished, []byte(text), 0o644); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	if err := os.Rename(unfinished, file); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}

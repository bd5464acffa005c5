package shard

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// File is one source file with its content. Bytes that are no UTF-8 are replaced on the way, which changes no count.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Task is what one counter is asked to count.
type Task struct {
	Files []File `json:"files"`
}

// Encode gives the task text.
func (t Task) Encode() (string, error) {
	text, err := encode(t)
	if err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	return string(text), nil
}

// Decode reads a task text.
func Decode(text string) (Task, error) {
	var t Task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return Task{}, fmt.Errorf("task: %w", err)
	}
	return t, nil
}

// cost is how many bytes a file adds to a request: the task text is JSON and stands as a string in a request that is
// JSON again, where each quote and backslash takes a second byte.
func (f File) cost() (int, error) {
	text, err := encode(f)
	if err != nil {
		return 0, err
	}
	return len(text) + len(",") + bytes.Count(text, []byte{'"'}) + bytes.Count(text, []byte{'\\'}), nil
}

// encode writes < and the like as they are: escaped they would take six bytes.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

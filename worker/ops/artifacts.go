package ops

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

const (
	// maxArtifactBytes bounds a task's artifacts file, as its answer is bounded.
	maxArtifactBytes = 64 << 20
	// maxArtifacts bounds the artifacts of one task: their ids are kept in memory.
	maxArtifacts = 1024
)

// pieceOf is a line of the artifacts file: a piece of an artifact, or how the task was
// finished.
type pieceOf struct {
	ArtifactID string     `json:"artifact_id,omitempty"`
	Name       string     `json:"name,omitempty"`
	Append     bool       `json:"append,omitempty"`
	Last       bool       `json:"last,omitempty"`
	State      string     `json:"state,omitempty"`
	Parts      []keptPart `json:"parts"`
	AtMS       int64      `json:"at_ms"`
}

// Artifacts is the record of what a task gives away: out/artifacts_<task>.jsonl in the
// session's records folder, made with the first line. A line is written at once and by
// one write, so what a crash leaves is whole but for its last line. It belongs to the
// goroutine that runs the guest; Text and Close follow its end.
type Artifacts struct {
	records *beneath.Dir
	name    string
	file    *os.File
	size    int64
	closed  map[string]bool // by id: whether its last piece is there
	minted  int
}

// NewArtifacts returns a record that holds nothing and has no file.
func NewArtifacts(records *beneath.Dir, taskID string) *Artifacts {
	return &Artifacts{records: records, name: layout.TaskArtifactsFile(taskID), closed: map[string]bool{}}
}

// add writes a piece and returns it with its id, and the length of its line.
func (a *Artifacts) add(p pieceOf) (pieceOf, int, error) {
	if p.ArtifactID == "" {
		p.ArtifactID = a.mint()
	}
	last, known := a.closed[p.ArtifactID]
	switch {
	case p.Append && !known:
		return p, 0, badRequest("there is no artifact %.64q to append to", p.ArtifactID)
	case p.Append && last:
		return p, 0, badRequest("artifact %.64q has had its last piece", p.ArtifactID)
	case !known && len(a.closed) == maxArtifacts:
		return p, 0, tooLarge(maxArtifacts+1, maxArtifacts, "a task gives away at most %d artifacts", maxArtifacts)
	}
	n, err := a.write(p)
	if err == nil {
		a.closed[p.ArtifactID] = p.Last
	}
	return p, n, err
}

func (a *Artifacts) mint() string {
	for {
		a.minted++
		id := fmt.Sprintf("artifact-%d", a.minted)
		if _, taken := a.closed[id]; !taken {
			return id
		}
	}
}

// write appends one line, all of it or nothing.
func (a *Artifacts) write(p pieceOf) (int, error) {
	p.AtMS = time.Now().UnixMilli()
	line, err := encode(p)
	if err != nil {
		return 0, err
	}
	line = append(line, '\n')
	if a.size+int64(len(line)) > maxArtifactBytes {
		return 0, tooLarge(a.size+int64(len(line)), maxArtifactBytes, "a task's artifacts have at most %d bytes", maxArtifactBytes)
	}
	if err := a.open(); err != nil {
		return 0, artifactFault(err)
	}
	if _, err := a.file.Write(line); err != nil {
		// Half a line would spoil the one after it.
		return 0, artifactFault(errors.Join(err, a.file.Truncate(a.size)))
	}
	a.size += int64(len(line))
	return len(line), nil
}

func (a *Artifacts) open() (err error) {
	if a.file != nil {
		return nil
	}
	if err := a.records.MkdirAll(layout.ResultsDir, 0o700); err != nil {
		return err
	}
	a.file, err = a.records.OpenFile(a.name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_APPEND, 0o600)
	return err
}

// artifactFault is for the guest one code, and for the log whatever it is.
func artifactFault(err error) error {
	return &opError{Code: codeIO, Message: "the artifact could not be kept", cause: err}
}

// Text is what the artifacts hold of text: those of one artifact one after another as
// they are, artifacts on lines of their own. It is empty when there is none.
func (a *Artifacts) Text() ([]byte, error) {
	if a.file == nil {
		return nil, nil
	}
	texts, order := map[string][]byte{}, []string{}
	lines := bufio.NewReader(io.NewSectionReader(a.file, 0, a.size))
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var p pieceOf
		if err == nil {
			err = json.Unmarshal(line, &p)
		}
		if err != nil {
			return nil, fmt.Errorf("artifacts: %w", err)
		}
		if p.State != "" {
			continue
		}
		text, known := texts[p.ArtifactID]
		if !known {
			order = append(order, p.ArtifactID)
		}
		if !p.Append {
			text = text[:0]
		}
		texts[p.ArtifactID] = append(text, textOf(p.Parts, "")...)
	}
	var all []byte
	for _, id := range order {
		if text := texts[id]; len(all) == 0 {
			all = text
		} else if len(text) > 0 {
			if all[len(all)-1] != '\n' {
				all = append(all, '\n')
			}
			all = append(all, text...)
		}
		delete(texts, id) // all of it may be long
	}
	return all, nil
}

// Close makes the record durable.
func (a *Artifacts) Close() error {
	if a.file == nil {
		return nil
	}
	if err := errors.Join(a.file.Sync(), a.file.Close()); err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	return nil
}

// textOf is the text of parts.
func textOf(parts []keptPart, between string) string {
	var texts []string
	for _, p := range parts {
		if p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, between)
}

package live

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Message is what somebody sent to the task.
type Message struct {
	ID    string
	Parts []Part
}

// Part is one piece of a message: Text or Data, the other one is nil.
type Part struct {
	Text      *string
	Data      json.RawMessage
	MediaType string
	Filename  string
}

// Text is the message as one text: its texts as they are, its data as fenced JSON, one
// after another on lines of their own.
func (m Message) Text() string {
	var parts []string
	for _, p := range m.Parts {
		if p.Text != nil {
			parts = append(parts, *p.Text)
		} else {
			parts = append(parts, p.fenced())
		}
	}
	return strings.Join(parts, "\n")
}

// fenced is a data part in a code block whose fence is longer than any within.
func (p Part) fenced() string {
	var body bytes.Buffer
	if err := json.Indent(&body, p.Data, "", "  "); err != nil {
		body.Reset()
		body.Write(p.Data)
	}
	label := "data"
	if p.MediaType != "" {
		label += " media-type=" + word(p.MediaType)
	}
	if p.Filename != "" {
		label += " filename=" + word(p.Filename)
	}
	fence := strings.Repeat("`", max(3, longestRun(body.String())+1))
	return fence + label + "\n" + body.String() + "\n" + fence
}

// word keeps a label on its line and out of the fence.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '`' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
}

// longestRun is how many backticks stand side by side at most.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, c := range []byte(s) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

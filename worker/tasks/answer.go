package tasks

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"rookery/capsule/layout"
	"rookery/capsule/linelog"
	"rookery/capsule/outcome"
)

// maxResult bounds the answer that is kept, in bytes; what reads it has the same.
const maxResult = 64 << 20

// keepAnswer copies what the task left as its answer to the records, where no later
// task and no guest can change it.
func (s *Session) keepAnswer(end *ending) {
	data, found, err := s.answer(*end)
	if closed := s.artifacts.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		end.spoil(fmt.Sprintf("the answer cannot be taken: %v", err))
		return
	case !found:
		return
	}
	if err := s.Records.MkdirAll(layout.ResultsDir, 0o700); err != nil {
		end.spoil(fmt.Sprintf("the answer cannot be kept: %v", err))
		return
	}
	for _, name := range []string{layout.TaskResultFile(s.Assigned.GetTask().GetTaskId()), layout.ResultFile} {
		if err := s.Records.WriteFile(name, data, 0o600); err != nil {
			end.spoil(fmt.Sprintf("the answer cannot be kept: %v", err))
			return
		}
	}
	end.answered = true
}

// answer is the file that the task left for it; else what it said when it finished; else
// what it gave away as artifacts; else what it printed.
func (s *Session) answer(end ending) (data []byte, found bool, err error) {
	data, err = s.Work.ReadRegular(layout.ResultFile, maxResult)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err == nil, err
	}
	if end.said != "" {
		return []byte(end.said), true, nil
	}
	if data, err = s.artifacts.Text(); err != nil || len(data) > 0 {
		return data, err == nil, err
	}
	return []byte(end.printed), end.printed != "", nil
}

// head keeps the beginning of what is printed.
type head struct {
	data []byte
	cut  bool
}

func (h *head) write(p []byte) {
	keep := min(len(p), outcome.MaxAnswerBytes-len(h.data))
	h.data = append(h.data, p[:keep]...)
	h.cut = h.cut || keep < len(p)
}

// text is what was kept, without a last character that was cut in two.
func (h *head) text() string {
	end := len(h.data)
	if h.cut {
		for back := 1; back < utf8.UTFMax && back <= len(h.data); back++ {
			if start := len(h.data) - back; utf8.RuneStart(h.data[start]) {
				if !utf8.FullRune(h.data[start:]) {
					end = start
				}
				break
			}
		}
	}
	return string(h.data[:end])
}

// both writes to the log and keeps the beginning. Neither fails.
type both struct {
	log  *linelog.Log
	head *head
}

func (b both) Write(p []byte) (int, error) {
	b.head.write(p)
	return b.log.Write(p)
}

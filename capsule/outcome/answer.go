package outcome

import (
	"errors"
	"fmt"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/layout"
)

// MaxAnswerBytes bounds an answer on its way to the parent, before its cut mark.
const MaxAnswerBytes = 64 << 10

// Answer is a child's answer as its parent is handed it.
type Answer struct {
	State ResultState
	// Text is the answer, or its first MaxAnswerBytes with a cut mark and a line
	// that says where the rest is. Without an answer it is why there is none, or
	// empty when the child simply left none.
	Text      string
	Truncated bool
	// WholePath is where the whole of a cut answer lies, relative to the parent's
	// runtime folder. Empty when nothing was cut or the whole could not be kept.
	WholePath string
}

// NoAnswer is the answer of a child that left none. why may be empty; otherwise it
// says what kept the host from reading one.
func NoAnswer(why string) Answer { return Answer{State: ResultNone, Text: why} }

// HandOver bounds the answer of a delegation's child. When it has to cut, it keeps
// the whole in the parent's runtime folder as delegations/<delegation id>.txt; if
// that fails, the answer is cut all the same and says why.
func HandOver(answer, delegationID string, runtime *beneath.Dir) Answer {
	if answer == "" {
		return Answer{State: ResultEmpty}
	}
	head, cut := cutAt(answer, MaxAnswerBytes)
	if !cut {
		return Answer{State: ResultText, Text: answer}
	}
	handed := Answer{State: ResultText, Truncated: true}
	where, err := keepWhole(answer, delegationID, runtime)
	rest := fmt.Sprintf("could not be kept in the runtime directory: %v", err)
	if err == nil {
		handed.WholePath = where
		rest = fmt.Sprintf("is %s in the runtime directory", where)
	}
	handed.Text = fmt.Sprintf("%s%s\n[cut at %d of %d bytes; the whole answer %s]", head, cutMark, len(head), len(answer), rest)
	return handed
}

// ResultBlock ends what a parent is told about one child.
func ResultBlock(a Answer) string {
	switch {
	case a.State == ResultText:
		return "result:\n" + a.Text
	case a.State == ResultEmpty:
		return "result: (the child's result file is empty)"
	case a.Text != "":
		return "result: none (" + a.Text + ")"
	default:
		return "result: none (the child wrote no result file)"
	}
}

// keepWhole writes the answer where the parent's guest can read it and returns
// that path.
func keepWhole(answer, delegationID string, runtime *beneath.Dir) (string, error) {
	// The id names a file, so it must be one that a launcher could have minted.
	hex, ok := strings.CutPrefix(delegationID, string(id.Delegation))
	if !ok || !id.Hex(hex) {
		return "", fmt.Errorf("%.60q is not a delegation id", delegationID)
	}
	if runtime == nil {
		return "", errors.New("there is none")
	}
	if err := runtime.MkdirAll(layout.DelegationsDir, 0o700); err != nil {
		return "", err
	}
	where := layout.DelegationsDir + "/" + delegationID + ".txt"
	return where, runtime.WriteFile(where, []byte(answer), 0o600)
}

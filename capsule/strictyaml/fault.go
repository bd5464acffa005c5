package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The codes of faults found here. Whoever reads the document may put its own code
// in their place.
const (
	// CodeSyntax is a document that is not YAML, or not one document.
	CodeSyntax = "syntax"
	// CodeUnknownKey is a key that means nothing here.
	CodeUnknownKey = "unknown_key"
	// CodeDuplicateKey is a key that stands twice in one mapping.
	CodeDuplicateKey = "duplicate_key"
	// CodeType is a value of another type than its key has.
	CodeType = "wrong_type"
	// CodeValue is a value of the right type that is refused.
	CodeValue = "bad_value"
	// CodeLimit is a document that is larger than it may be.
	CodeLimit = "too_large"
)

// Fault is one thing that is wrong with a document.
type Fault struct { //nolint:errname // a fault is what a person is told, one of several
	// File is the document's name as it was given.
	File string
	// Line and Column count from 1; Column counts characters.
	Line, Column int
	// Field is the path of the key, "capabilities.env.allow[0]"; empty for the
	// document as a whole.
	Field string
	// Code is short and stable.
	Code string
	// Message is one sentence without a full stop.
	Message string
}

// Error is file:line:column: field: message (code).
func (f Fault) Error() string {
	field := f.Field
	if field != "" {
		field += ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s (%s)", f.File, f.Line, f.Column, field, f.Message, f.Code)
}

// Faults is everything that is wrong with a document. An empty one is no error:
// return it as an error only through [Faults.Err].
type Faults []Fault //nolint:errname // see Fault

// Error is the faults in file order, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f.Sorted() {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is the faults in file order as an error, or nil when there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f.Sorted()
}

// Sorted returns the faults in file order.
func (f Faults) Sorted() Faults {
	sorted := slices.Clone(f)
	slices.SortStableFunc(sorted, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return sorted
}

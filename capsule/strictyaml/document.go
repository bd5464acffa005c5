package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// MaxBytes bounds a document.
	MaxBytes = 1 << 20
	// maxTokens bounds what the parser is given: its time grows with the square of
	// a mapping's size (measured: 60,000 keys take 7 s, 15,000 a second).
	maxTokens = 45_000
	// maxDepth bounds values within values: the parser's cost of brackets grows with
	// the square too, and so does the length of all paths together.
	maxDepth = 64
	// maxNodes bounds what aliases may make of a document.
	maxNodes = 50_000
)

// Document is a parsed document. It is not safe for concurrent use.
type Document struct {
	file    string
	body    ast.Node // nil for an empty document
	anchors map[string]*ast.AnchorNode
	places  map[string]*token.Position // of every path, made by the first Locate
}

// Decode reads a document into a struct: Parse and Document.Decode in one.
func Decode(file string, data []byte, into any) Faults {
	document, faults := Parse(file, data)
	if len(faults) > 0 {
		return faults
	}
	return document.Decode(into)
}

// Parse reads a document's syntax. file is its name in faults. An empty document
// is one without keys.
func Parse(file string, data []byte) (*Document, Faults) {
	refuse := func(at *token.Position, code, format string, args ...any) (*Document, Faults) {
		fault := Fault{File: file, Line: 1, Column: 1, Code: code, Message: fmt.Sprintf(format, args...)}
		if at != nil {
			fault.Line, fault.Column = max(1, at.Line), max(1, at.Column)
		}
		return nil, Faults{fault}
	}
	if len(data) > MaxBytes {
		return refuse(nil, CodeLimit, "the document has %d bytes, at most %d are read", len(data), MaxBytes)
	}
	if at := invalidUTF8(data); at != nil {
		return refuse(at, CodeSyntax, "this byte is not UTF-8")
	}
	tokens := lexer.Tokenize(string(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	if at, message := tooMuch(tokens); message != "" {
		return refuse(at, CodeLimit, "%s", message)
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var located yaml.Error
		if errors.As(err, &located) && located.GetToken() != nil {
			return refuse(located.GetToken().Position, CodeSyntax, "not valid YAML: %s", located.GetMessage())
		}
		return refuse(nil, CodeSyntax, "not valid YAML: %v", err)
	}
	document := &Document{file: file, anchors: map[string]*ast.AnchorNode{}}
	for i, part := range parsed.Docs {
		if directive, ok := part.Body.(*ast.DirectiveNode); ok {
			return refuse(position(directive), CodeSyntax, "directives are not supported")
		}
		if i > 0 && part.Body != nil {
			return refuse(position(part.Body), CodeSyntax, "a second document begins here, one is read")
		}
		if i == 0 {
			document.body = part.Body
		}
	}
	document.collectAnchors()
	return document, nil
}

// Decode binds the document to the struct that into points at. Keys are the
// fields' yaml tags; a field of type any takes whatever stands there, unread. What
// has no key keeps its value, so defaults can be put in first. Types with an
// UnmarshalText take any scalar.
func (d *Document) Decode(into any) Faults {
	binder := binder{document: d, budget: maxNodes}
	binder.root(into)
	return binder.faults.Sorted()
}

// Fault is a fault at the place of path, see Locate.
func (d *Document) Fault(path, code, format string, args ...any) Fault {
	line, column := d.Locate(path)
	return Fault{File: d.file, Line: line, Column: column, Field: trimRoot(path), Code: code, Message: fmt.Sprintf(format, args...)}
}

// tooMuch says where and why a document is too much for the parser.
func tooMuch(tokens token.Tokens) (*token.Position, string) {
	depth := 0
	for i, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		if depth > maxDepth {
			return t.Position, fmt.Sprintf("brackets nest deeper than %d", maxDepth)
		}
		if i == maxTokens {
			return t.Position, fmt.Sprintf("the document has more than %d words and signs", maxTokens)
		}
	}
	return nil, ""
}

// invalidUTF8 is the place of the first byte that is not UTF-8.
func invalidUTF8(data []byte) *token.Position {
	at := &token.Position{Line: 1, Column: 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return at
		case r == '\n':
			at.Line, at.Column = at.Line+1, 1
		default:
			at.Column++
		}
		data = data[size:]
	}
	return nil
}

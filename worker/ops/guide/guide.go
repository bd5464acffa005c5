package guide

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"rookery/worker/ops"
	"rookery/worker/ops/internal/strictjson"
)

//go:embed guide.md.tmpl
var page string

// shared are objects that stand in several places; each has a section of its own, by
// its heading's anchor.
var shared = map[string]string{"outcome": "outcome", "part": "part"}

// field is one line of a table.
type field struct{ Path, Type, Need, Doc string }

// Render returns the page.
func Render() ([]byte, error) {
	parsed, err := template.New("guide").Funcs(template.FuncMap{
		"fields": func(s strictjson.Schema) []field { return fields(s, "") },
		"shared": func(s strictjson.Schema) bool { return shared[s.Name] != "" },
		"later":  later,
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, struct {
		Ops           []ops.Reference
		Later         []string
		Outcome, Part strictjson.Schema
		Codes         []ops.Code
	}{ops.References(), ops.Later(), find("outcome"), find("part"), ops.Codes()})
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	return out.Bytes(), nil
}

// find is the shared object of that name, wherever it stands.
func find(name string) (found strictjson.Schema) {
	var look func(strictjson.Schema)
	look = func(s strictjson.Schema) {
		if s.Name == name {
			found = s
		}
		if s.Items != nil {
			look(*s.Items)
		}
		for _, p := range s.Properties {
			look(p.Schema)
		}
	}
	for _, r := range ops.References() {
		look(r.Request)
		for _, a := range r.Answers {
			look(a)
		}
	}
	return found
}

// fields are the fields of an object and of what is in them, by their paths.
func fields(s strictjson.Schema, above string) []field {
	var all []field
	for _, p := range s.Properties {
		path := above + p.Name
		need := ""
		if p.Required && s.Closed {
			need = "required"
		} else if !p.Required && !s.Closed {
			need = "may be absent"
		}
		all = append(all, field{Path: path, Type: typeOf(p.Schema), Need: need, Doc: docOf(p.Schema)})
		inner, below := p.Schema, path+"."
		if inner.Items != nil {
			inner, below = *inner.Items, path+"[]."
		}
		if shared[inner.Name] == "" {
			all = append(all, fields(inner, below)...)
		}
	}
	return all
}

func typeOf(s strictjson.Schema) string {
	switch {
	case s.Type == "":
		return "any"
	case shared[s.Name] != "":
		return "[" + s.Name + "](#" + shared[s.Name] + ")"
	case s.Items != nil:
		return "list of " + typeOf(*s.Items)
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "` `") + "`"
	}
	return s.Type
}

// docOf is the field's sentence and its bounds.
func docOf(s strictjson.Schema) string {
	text := s.Doc
	if bounds := boundsOf(s); bounds != "" {
		text = strings.TrimSpace(text + " " + bounds)
	}
	return text
}

func boundsOf(s strictjson.Schema) string {
	unit := map[string]string{"string": " bytes", "array": " items"}[s.Type]
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case s.Min != nil && s.Max != nil:
		return number(*s.Min) + " to " + number(*s.Max) + unit + "."
	case s.Max != nil:
		return "At most " + number(*s.Max) + unit + "."
	case s.Min != nil:
		return "At least " + number(*s.Min) + unit + "."
	}
	return ""
}

// later says why a code cannot come yet.
func later(c ops.Code) string {
	if c.Later == "" {
		return ""
	}
	return " Not yet: " + c.Later + "."
}

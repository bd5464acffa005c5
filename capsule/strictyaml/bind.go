package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// binder walks a document along a Go type and gathers what does not fit.
type binder struct {
	document *Document
	faults   Faults
	budget   int      // nodes that may still be visited
	depth    int      // of the value being bound
	limited  bool     // the document is too much, which is said once
	open     []string // anchors whose value is being bound, outermost first
}

func (b *binder) root(into any) {
	target := reflect.ValueOf(into).Elem()
	switch body := b.document.body.(type) {
	case nil, *ast.CommentGroupNode, *ast.NullNode:
	default:
		b.value(body, target, "")
	}
}

func (b *binder) fault(at ast.Node, path, code, format string, args ...any) {
	p := position(at)
	b.faults = append(b.faults, Fault{
		File: b.document.file, Line: p.Line, Column: p.Column,
		Field: path, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// value binds node to target.
func (b *binder) value(node ast.Node, target reflect.Value, path string) {
	b.resolve(node, path, func(node ast.Node) {
		if isText(target) {
			b.text(node, target, path)
			return
		}
		switch target.Kind() {
		case reflect.Pointer:
			if target.IsNil() {
				target.Set(reflect.New(target.Type().Elem()))
			}
			b.value(node, target.Elem(), path)
		case reflect.Struct:
			b.mapping(node, path, func(key string, at, value ast.Node, path string) { b.field(target, key, at, value, path) })
		case reflect.Map:
			b.entries(node, target, path)
		case reflect.Slice:
			b.slice(node, target, path)
		case reflect.Interface:
			b.unread(node, path)
		default:
			b.scalar(node, target, path)
		}
	})
}

// resolve calls use with what node stands for, or records why that cannot be.
func (b *binder) resolve(node ast.Node, path string, use func(ast.Node)) {
	b.budget--
	b.depth++
	defer func() { b.depth-- }()
	switch {
	case b.limited:
		return
	case b.budget < 0:
		b.limited = true
		b.fault(node, path, CodeLimit, "the document's aliases stand for more than %d values", maxNodes)
		return
	case b.depth > maxDepth:
		b.limited = true
		b.fault(node, path, CodeLimit, "values nest deeper than %d", maxDepth)
		return
	}
	switch node := node.(type) {
	case *ast.AnchorNode:
		b.inside(node.Name.GetToken().Value, node.Value, path, use)
	case *ast.AliasNode:
		name := node.Value.GetToken().Value
		anchor := b.document.anchors[name]
		switch {
		case anchor == nil || !before(anchor, node):
			b.fault(node, path, CodeSyntax, "no anchor %q stands above", name)
		case slices.Contains(b.open, name):
			b.fault(node, path, CodeSyntax, "alias %q refers to itself", name)
		default:
			b.inside(name, anchor.Value, path, use)
		}
	case *ast.TagNode:
		b.fault(node, path, CodeSyntax, "tags are not supported")
	case nil:
		b.fault(b.document.body, path, CodeSyntax, "a value is missing")
	default:
		use(node)
	}
}

// inside resolves an anchored value; an alias to it from within has no end.
func (b *binder) inside(anchor string, value ast.Node, path string, use func(ast.Node)) {
	b.open = append(b.open, anchor)
	b.resolve(value, path, use)
	b.open = b.open[:len(b.open)-1]
}

// mapping calls each for every key of node, duplicates reported and left out.
func (b *binder) mapping(node ast.Node, path string, each func(key string, at, value ast.Node, path string)) {
	if _, null := node.(*ast.NullNode); null {
		return
	}
	mapping, ok := node.(ast.MapNode)
	if !ok {
		b.fault(node, path, CodeType, "this must be a mapping of keys to values, not %s", describe(node))
		return
	}
	seen := map[string]int{}
	for entries := mapping.MapRange(); entries.Next(); {
		at := entries.Key()
		if at.IsMergeKey() {
			b.fault(at, path, CodeSyntax, "merge keys are not supported")
			continue
		}
		key, ok := keyText(at)
		if !ok {
			b.fault(at, path, CodeType, "a key must be a plain word or a quoted text, not %s", describe(at))
			continue
		}
		below := join(path, key)
		if line := seen[key]; line > 0 {
			b.fault(at, below, CodeDuplicateKey, "this key stands on line %d already", line)
			continue
		}
		seen[key] = position(at).Line
		each(key, at, entries.Value(), below)
	}
}

func (b *binder) field(target reflect.Value, key string, at, value ast.Node, path string) {
	known := []string{}
	for i := range target.NumField() {
		tag := target.Type().Field(i).Tag.Get("yaml")
		if tag == key {
			b.value(value, target.Field(i), path)
			return
		}
		if tag != "" {
			known = append(known, tag)
		}
	}
	slices.Sort(known)
	b.fault(at, path, CodeUnknownKey, "unknown key; known here are %s", strings.Join(known, ", "))
}

func (b *binder) entries(node ast.Node, target reflect.Value, path string) {
	if target.IsNil() {
		target.Set(reflect.MakeMap(target.Type()))
	}
	b.mapping(node, path, func(key string, _, value ast.Node, path string) {
		element := reflect.New(target.Type().Elem()).Elem()
		b.value(value, element, path)
		target.SetMapIndex(reflect.ValueOf(key).Convert(target.Type().Key()), element)
	})
}

func (b *binder) slice(node ast.Node, target reflect.Value, path string) {
	if _, null := node.(*ast.NullNode); null {
		return
	}
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		b.fault(node, path, CodeType, "this must be a list, not %s", describe(node))
		return
	}
	elements := reflect.MakeSlice(target.Type(), len(sequence.Values), len(sequence.Values))
	for i, value := range sequence.Values {
		b.value(value, elements.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	target.Set(elements)
}

// unread checks what can be checked without knowing what is expected.
func (b *binder) unread(node ast.Node, path string) {
	below := func(node ast.Node, path string) {
		b.resolve(node, path, func(node ast.Node) { b.unread(node, path) })
	}
	switch node := node.(type) {
	case ast.MapNode:
		b.mapping(node.(ast.Node), path, func(_ string, _, value ast.Node, path string) { below(value, path) })
	case *ast.SequenceNode:
		for i, value := range node.Values {
			below(value, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

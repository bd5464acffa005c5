package strictyaml

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Key is one key of a document with its place.
type Key struct {
	// Path is "a.b[0].c".
	Path string
	// Value is the text of a scalar; empty for a mapping, a list or nothing.
	Value string
	// Line and Column are the key's own, from 1.
	Line, Column int
}

// Locate is the place of a path in a document that Decode accepted, "$.a.b[0]" or
// "a.b[0]": of the value for a scalar, of the key otherwise. For a path that is not
// there it is the place of what would hold it, at last line 1, column 1.
func Locate(data []byte, path string) (line, column int) {
	document, faults := Parse("", data)
	if len(faults) > 0 {
		return 1, 1
	}
	return document.Locate(path)
}

// Locate is the function of this name for a parsed document.
func (d *Document) Locate(path string) (line, column int) {
	if d.places == nil {
		d.places = d.find()
	}
	for path = trimRoot(path); path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		if at := d.places[path]; at != nil {
			return at.Line, at.Column
		}
	}
	return 1, 1
}

func (d *Document) find() map[string]*token.Position {
	places := map[string]*token.Position{}
	d.visit(func(path string, key, value ast.Node) {
		at := position(value)
		if _, scalar := scalarText(value); key != nil && !scalar {
			at = position(key)
		}
		places[path] = at
	})
	return places
}

// Keys lists every key of the document in file order, those that aliases stand for
// included. What is more, or nests deeper, than Decode accepts is left out.
func (d *Document) Keys() []Key {
	var keys []Key
	d.visit(func(path string, key, value ast.Node) {
		if key == nil {
			return
		}
		at := position(key)
		text, _ := scalarText(value)
		keys = append(keys, Key{Path: path, Value: text, Line: at.Line, Column: at.Column})
	})
	return keys
}

// visit calls each for every value below the root; key is nil for a list's.
func (d *Document) visit(each func(path string, key, value ast.Node)) {
	visit := visit{document: d, each: each, budget: maxNodes}
	visit.below(visit.resolve(d.body), "", 0)
}

type visit struct {
	document *Document
	each     func(path string, key, value ast.Node)
	budget   int
}

// resolve is what node stands for. A chain of aliases without an end uses up the
// budget like everything else.
func (v *visit) resolve(node ast.Node) ast.Node {
	for v.budget > 0 {
		v.budget--
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.AliasNode:
			anchor := v.document.anchors[n.Value.GetToken().Value]
			if anchor == nil {
				return node
			}
			node = anchor.Value
		default:
			return node
		}
	}
	return nil
}

func (v *visit) below(node ast.Node, path string, depth int) {
	if depth == maxDepth {
		return
	}
	next := func(path string, key, value ast.Node) {
		if value = v.resolve(value); value != nil {
			v.each(path, key, value)
			v.below(value, path, depth+1)
		}
	}
	switch node := node.(type) {
	case ast.MapNode:
		for entries := node.MapRange(); entries.Next(); {
			if key, ok := keyText(entries.Key()); ok {
				next(join(path, key), entries.Key(), entries.Value())
			}
		}
	case *ast.SequenceNode:
		for i, value := range node.Values {
			next(fmt.Sprintf("%s[%d]", path, i), nil, value)
		}
	}
}

// collectAnchors notes every anchor; of two with one name the first counts.
func (d *Document) collectAnchors() {
	if d.body == nil {
		return
	}
	ast.Walk(visitor(func(node ast.Node) {
		if anchor, ok := node.(*ast.AnchorNode); ok {
			if name := anchor.Name.GetToken().Value; d.anchors[name] == nil {
				d.anchors[name] = anchor
			}
		}
	}), d.body)
}

type visitor func(ast.Node)

// Visit implements ast.Visitor.
func (v visitor) Visit(node ast.Node) ast.Visitor {
	v(node)
	return v
}

// position is where a person would say that node begins.
func position(node ast.Node) *token.Position {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return position(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(n.Key)
	case nil:
		return &token.Position{Line: 1, Column: 1}
	}
	if t := node.GetToken(); t != nil && t.Position != nil {
		return t.Position
	}
	return &token.Position{Line: 1, Column: 1}
}

func before(a, b ast.Node) bool {
	first, second := position(a), position(b)
	return cmp.Or(cmp.Compare(first.Line, second.Line), cmp.Compare(first.Column, second.Column)) < 0
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func trimRoot(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".") }

package strictyaml

import (
	"encoding"
	"math"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

func isText(target reflect.Value) bool {
	return target.CanAddr() && target.Kind() != reflect.Interface && reflect.PointerTo(target.Type()).Implements(textType)
}

// text binds any scalar to a type that reads text.
func (b *binder) text(node ast.Node, target reflect.Value, path string) {
	text, ok := scalarText(node)
	if !ok {
		b.fault(node, path, CodeType, "this must be one value, not %s", describe(node))
		return
	}
	if err := target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
		b.fault(node, path, CodeValue, "%v", err)
	}
}

// scalar binds a scalar to a string, bool, integer or float.
func (b *binder) scalar(node ast.Node, target reflect.Value, path string) {
	wrong := func(wanted string) {
		b.fault(node, path, CodeType, "this must be %s, not %s", wanted, describe(node))
	}
	switch kind := target.Kind(); {
	case kind == reflect.String:
		text, ok := stringText(node)
		if !ok {
			wrong("a text (quote it)")
			return
		}
		target.SetString(text)
	case kind == reflect.Bool:
		value, ok := node.(*ast.BoolNode)
		if !ok {
			wrong("true or false")
			return
		}
		target.SetBool(value.Value)
	case target.CanInt():
		value, whole, ok := integer(node)
		switch {
		case !whole:
			wrong("a whole number")
		case !ok || target.OverflowInt(value):
			b.fault(node, path, CodeValue, "this number is out of range")
		default:
			target.SetInt(value)
		}
	case target.CanFloat():
		value, ok := float(node)
		if !ok {
			wrong("a number")
			return
		}
		target.SetFloat(value)
	default:
		panic("strictyaml: cannot bind to " + target.Type().String())
	}
}

// integer returns a whole number and whether it fits into 64 bits. The parser
// gives one that does not as a plain word.
func integer(node ast.Node) (value int64, whole, ok bool) {
	switch node := node.(type) {
	case *ast.IntegerNode:
		switch value := node.Value.(type) {
		case int64:
			return value, true, true
		case uint64:
			return int64(value), true, value <= math.MaxInt64
		}
	case *ast.StringNode:
		digits := strings.TrimLeft(node.Value, "+-")
		plain := node.Token.Type == token.StringType && digits != "" && strings.Trim(digits, "0123456789") == ""
		return 0, plain, false
	}
	return 0, false, false
}

func float(node ast.Node) (float64, bool) {
	if value, ok := node.(*ast.FloatNode); ok {
		return value.Value, true
	}
	value, _, ok := integer(node)
	return float64(value), ok
}

func stringText(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.LiteralNode:
		return node.Value.Value, true
	default:
		return "", false
	}
}

func scalarText(node ast.Node) (string, bool) {
	switch node.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	default:
		return stringText(node)
	}
}

// keyText is the text of a key that is a plain word or quoted.
func keyText(key ast.MapKeyNode) (string, bool) {
	if explicit, ok := key.(*ast.MappingKeyNode); ok {
		return stringText(explicit.Value)
	}
	return stringText(key)
}

// describe names what stands in the document in the words of the person who wrote
// it.
func describe(node ast.Node) string {
	switch node.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode:
		return "a number"
	case *ast.InfinityNode, *ast.NanNode:
		return "infinity or no number"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	default:
		return "this"
	}
}

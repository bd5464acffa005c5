package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Schema is a JSON Schema, in as many words as requests and answers need.
type Schema struct {
	// Name is that of the object's struct, for readers; it is not written.
	Name string
	// Type is a name of JSON Schema; empty for any value.
	Type string
	// Doc is one sentence.
	Doc string
	// Properties are in the order of the struct.
	Properties []Property
	// Closed: no other properties are taken.
	Closed bool
	// Items is the schema of a list's items.
	Items *Schema
	// Enum names all values of a text.
	Enum []string
	// Min and Max bound a number, the length of a text in bytes, or of a list in items.
	Min, Max *float64
}

// Property is one field of an object.
type Property struct {
	Name     string
	Required bool
	Schema   Schema
}

var raw = reflect.TypeFor[json.RawMessage]()

// Request is the schema of what Decode reads into a struct of this type.
func Request(of reflect.Type) Schema { return describe(of, rule{}, "", true) }

// Answer is the schema of what encoding/json makes of a struct of this type. Readers
// must expect more properties than it names.
func Answer(of reflect.Type) Schema { return describe(of, rule{}, "", false) }

func describe(of reflect.Type, r rule, doc string, closed bool) Schema {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	s := Schema{Doc: doc, Min: r.min, Max: r.max}
	switch of.Kind() {
	case reflect.Struct:
		s.Name, s.Type, s.Closed = of.Name(), "object", closed
		for _, f := range fields(of) {
			s.Properties = append(s.Properties, Property{
				Name: f.name, Required: closed && f.rule.required || !closed && !f.optional,
				Schema: describe(of.Field(f.index).Type, f.rule, f.doc, closed),
			})
		}
	case reflect.Slice:
		if of == raw {
			break
		}
		items := describe(of.Elem(), rule{enum: r.enum}, "", closed)
		s.Type, s.Items = "array", &items
	case reflect.String:
		s.Type, s.Enum = "string", r.enum
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Float64:
		s.Type = "number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		s.Type = "integer"
	case reflect.Interface:
	default:
		panic(fmt.Sprintf("strictjson: no schema for %s", of))
	}
	return s
}

// MarshalJSON writes the schema as JSON Schema does, properties in their order.
func (s Schema) MarshalJSON() ([]byte, error) {
	out := object{}
	out.put("type", s.Type, s.Type != "")
	out.put("description", s.Doc, s.Doc != "")
	if s.Type == "object" {
		properties, required := object{}, []string{}
		for _, p := range s.Properties {
			properties.put(p.Name, p.Schema, true)
			if p.Required {
				required = append(required, p.Name)
			}
		}
		out.put("properties", properties, true)
		out.put("required", required, len(required) > 0)
		out.put("additionalProperties", false, s.Closed)
	}
	out.put("items", s.Items, s.Items != nil)
	out.put("enum", s.Enum, s.Enum != nil)
	low, high := s.bounds()
	out.put(low, s.Min, s.Min != nil)
	out.put(high, s.Max, s.Max != nil)
	return out.MarshalJSON()
}

func (s Schema) bounds() (low, high string) {
	switch s.Type {
	case "string":
		// It counts characters, of which there are no more than bytes.
		return "minLength", "maxLength"
	case "array":
		return "minItems", "maxItems"
	}
	return "minimum", "maximum"
}

// object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) put(name string, value any, when bool) {
	if when {
		*o = append(*o, member{name, value})
	}
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

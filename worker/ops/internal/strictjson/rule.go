package strictjson

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// rule is what a field's tag "rule" says about its values, apart from their type:
// words separated by semicolons. "required" wants the field; "enum=a b" names all
// values of a text, or of the texts of a list; "min=N" and "max=N" bound a number, the
// bytes of a text or the items of a list.
type rule struct {
	required bool
	enum     []string
	min, max *float64
}

// field is one field of a struct as JSON knows it.
type field struct {
	name  string
	doc   string
	index int
	rule  rule
	// optional: left out of an answer when there is nothing to say.
	optional bool
}

// fields reads the tags of a struct.
func fields(of reflect.Type) []field {
	all := make([]field, 0, of.NumField())
	for i := range of.NumField() {
		tag := of.Field(i).Tag
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		all = append(all, field{
			name: name, doc: tag.Get("doc"), index: i, rule: parse(tag.Get("rule")),
			optional: strings.Contains(options, "omit"),
		})
	}
	return all
}

// parse reads a tag. One that cannot be read is a mistake in this program, which every
// test of an op finds.
func parse(tag string) rule {
	var r rule
	if tag == "" {
		return r
	}
	for part := range strings.SplitSeq(tag, ";") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "required":
			r.required = true
		case "enum":
			r.enum = strings.Fields(value)
		case "min":
			r.min = number(value)
		case "max":
			r.max = number(value)
		default:
			panic("strictjson: no rule " + strconv.Quote(part))
		}
	}
	return r
}

func number(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("strictjson: no number " + strconv.Quote(text))
	}
	return &n
}

// check holds a decoded value to its rule.
func (r rule) check(v reflect.Value, path string) error {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return r.text(v.String(), path)
	case reflect.Slice:
		if v.Type() == raw {
			return nil
		}
		if err := r.within(float64(v.Len()), path, "must have %s items"); err != nil {
			return err
		}
		for i := range v.Len() {
			if v.Index(i).Kind() != reflect.String {
				break
			}
			if err := r.named(v.Index(i).String(), path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case reflect.Float64:
		return r.within(v.Float(), path, "must be between %s")
	case reflect.Uint64:
		return r.within(float64(v.Uint()), path, "must be between %s")
	}
	return nil
}

func (r rule) text(s, path string) error {
	if err := r.named(s, path); err != nil {
		return err
	}
	return r.within(float64(len(s)), path, "must have %s bytes")
}

func (r rule) named(s, path string) error {
	if r.enum != nil && !slices.Contains(r.enum, s) {
		return fmt.Errorf("field %s must be one of %s", shown(path), strings.Join(r.enum, " "))
	}
	return nil
}

func (r rule) within(n float64, path, must string) error {
	if (r.min == nil || n >= *r.min) && (r.max == nil || n <= *r.max) {
		return nil
	}
	low, between := 0.0, " to "
	if r.min != nil {
		low = *r.min
	}
	if strings.Contains(must, "between") {
		between = " and "
	}
	if r.max == nil {
		return fmt.Errorf("field %s must be at least %g", shown(path), low)
	}
	return fmt.Errorf("field %s "+must, shown(path), fmt.Sprintf("%g%s%g", low, between, *r.max))
}

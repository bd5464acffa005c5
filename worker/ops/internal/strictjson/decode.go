package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode reads one JSON object into the struct that into points to, whose fields
// carry json tags. Fields that data does not name are left as they are. The error
// is one sentence for the guest.
func Decode(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("the request is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := readObject(decoder, reflect.ValueOf(into).Elem(), ""); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the request's object")
	}
	return nil
}

// readObject reads the object that decoder stands before. at is the path of the
// object itself, empty for the request.
func readObject(decoder *json.Decoder, into reflect.Value, at string) error {
	open, err := decoder.Token()
	if err != nil || open != json.Delim('{') {
		return wants(at, "an object")
	}
	known, seen := fields(into.Type()), map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return wants(at, "an object")
		}
		name, ok := token.(string)
		if !ok {
			return wants(at, "an object")
		}
		path := join(at, name)
		if seen[name] {
			return fmt.Errorf("field %s is there twice", shown(path))
		}
		seen[name] = true
		f := slices.IndexFunc(known, func(f field) bool { return f.name == name })
		if f < 0 {
			return fmt.Errorf("unknown field %s", shown(path))
		}
		var text json.RawMessage
		if err := decoder.Decode(&text); err != nil {
			return fmt.Errorf("field %s is not JSON", shown(path))
		}
		place := into.Field(known[f].index)
		if err := value(text, place, path); err != nil {
			return err
		}
		if err := known[f].rule.check(place, path); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return wants(at, "an object")
	}
	for _, f := range known {
		if f.rule.required && !seen[f.name] {
			return fmt.Errorf("field %s is missing", shown(join(at, f.name)))
		}
	}
	return nil
}

// value reads one value of which text is known to be JSON.
func value(text json.RawMessage, into reflect.Value, path string) error {
	if into.Type() == raw {
		into.SetBytes(text)
		return nil
	}
	kind := into.Kind()
	switch kind {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return value(text, into.Elem(), path)
	case reflect.Struct:
		return readObject(json.NewDecoder(bytes.NewReader(text)), into, path)
	case reflect.Slice:
		return list(text, into, path)
	}
	// encoding/json takes null for "leave it as it is".
	if string(text) == "null" || json.Unmarshal(text, into.Addr().Interface()) != nil {
		return wants(path, names[kind])
	}
	return nil
}

func list(text json.RawMessage, into reflect.Value, path string) error {
	var parts []json.RawMessage
	if string(text) == "null" || json.Unmarshal(text, &parts) != nil {
		return wants(path, "a list")
	}
	into.Set(reflect.MakeSlice(into.Type(), len(parts), len(parts)))
	for i, part := range parts {
		if err := value(part, into.Index(i), path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

var names = map[reflect.Kind]string{
	reflect.Bool:    "true or false",
	reflect.Float64: "a number",
	reflect.String:  "a string",
	reflect.Uint64:  "a whole number that is not negative",
}

func wants(path, what string) error {
	if path == "" {
		return fmt.Errorf("the request must be %s", what)
	}
	return fmt.Errorf("field %s must be %s", shown(path), what)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// maxShown bounds how much of a guest's own words comes back in an error.
const maxShown = 64

func shown(path string) string {
	if len(path) > maxShown {
		path = strings.ToValidUTF8(path[:maxShown], "") + "…"
	}
	return strconv.Quote(path)
}

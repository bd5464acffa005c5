package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
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
	if err := object(decoder, reflect.ValueOf(into).Elem(), ""); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the request's object")
	}
	return nil
}

// object reads the object that decoder stands before. at is the path of the
// object itself, empty for the request.
func object(decoder *json.Decoder, into reflect.Value, at string) error {
	open, err := decoder.Token()
	if err != nil || open != json.Delim('{') {
		return wants(at, "an object")
	}
	seen := map[string]bool{}
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
		field, ok := find(into, name)
		if !ok {
			return fmt.Errorf("unknown field %s", shown(path))
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return fmt.Errorf("field %s is not JSON", shown(path))
		}
		if err := value(raw, field, path); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return wants(at, "an object")
	}
	return nil
}

// value reads one value of which raw is known to be JSON.
func value(raw json.RawMessage, into reflect.Value, path string) error {
	kind := into.Kind()
	switch kind {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return value(raw, into.Elem(), path)
	case reflect.Struct:
		return object(json.NewDecoder(bytes.NewReader(raw)), into, path)
	case reflect.Slice:
		return list(raw, into, path)
	}
	// encoding/json takes null for "leave it as it is".
	if string(raw) == "null" || json.Unmarshal(raw, into.Addr().Interface()) != nil {
		return wants(path, names[kind])
	}
	return nil
}

func list(raw json.RawMessage, into reflect.Value, path string) error {
	var parts []json.RawMessage
	if string(raw) == "null" || json.Unmarshal(raw, &parts) != nil {
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

func find(into reflect.Value, name string) (reflect.Value, bool) {
	for i := range into.NumField() {
		tag, _, _ := strings.Cut(into.Type().Field(i).Tag.Get("json"), ",")
		if tag == name {
			return into.Field(i), true
		}
	}
	return reflect.Value{}, false
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

package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// JSON writes messages as one array, JSONObject one message as one object: the API's field names in its order, numbers as
// numbers, enums as their lower-case word, times in RFC 3339. Fields without presence are always there; an unset message (a time
// that has not come yet) is null.
func JSON[M proto.Message](w io.Writer, messages []M) error {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, m := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := object(&b, m.ProtoReflect()); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return indent(w, b.Bytes())
}

// JSONObject writes one message; see JSON.
func JSONObject(w io.Writer, m proto.Message) error {
	var b bytes.Buffer
	if err := object(&b, m.ProtoReflect()); err != nil {
		return err
	}
	return indent(w, b.Bytes())
}

func indent(w io.Writer, raw []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return fmt.Errorf("view: indent JSON: %w", err)
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

func object(b *bytes.Buffer, m protoreflect.Message) error {
	b.WriteByte('{')
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", f.Name())
		if err := field(b, m, f); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func field(b *bytes.Buffer, m protoreflect.Message, f protoreflect.FieldDescriptor) error {
	if f.IsMap() {
		return fmt.Errorf("view: field %s is a map, which no message of the operator API has", f.FullName())
	}
	v := m.Get(f)
	if f.IsList() {
		b.WriteByte('[')
		for i := range v.List().Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := value(b, f, v.List().Get(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	if f.Message() != nil && !m.Has(f) {
		b.WriteString("null")
		return nil
	}
	return value(b, f, v)
}

func value(b *bytes.Buffer, f protoreflect.FieldDescriptor, v protoreflect.Value) error {
	if f.Message() != nil {
		if t, ok := v.Message().Interface().(*timestamppb.Timestamp); ok {
			return scalar(b, t.AsTime().Format(time.RFC3339Nano))
		}
		return object(b, v.Message())
	}
	if f.Enum() != nil {
		return scalar(b, Word(f.Enum(), v.Enum()))
	}
	return scalar(b, v.Interface())
}

func scalar(b *bytes.Buffer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	b.Write(inert(raw))
	return nil
}

// JSONLine writes one message as one line, for an output that goes on; see JSON.
func JSONLine(w io.Writer, m proto.Message) error {
	var b bytes.Buffer
	if err := object(&b, m.ProtoReflect()); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// JSONValue writes any value as indented JSON that cannot steer a terminal; JSONValueLine as one line.
func JSONValue(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return indent(w, inert(raw))
}

// JSONValueLine is JSONValue for an output that goes on.
func JSONValueLine(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	_, err = w.Write(append(inert(raw), '\n'))
	return err
}

// inert spells out what in a JSON text would steer a terminal. Such characters stand in strings only, where \u says the same.
func inert(raw []byte) []byte {
	if harmless(string(raw), false) {
		return raw
	}
	var b bytes.Buffer
	for _, r := range string(raw) {
		switch {
		case !steers(r, false):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// Word is an enum value as people write it: DELEGATION_STATE_RUNNING is running. A value this build does not know is its number.
func Word(e protoreflect.EnumDescriptor, n protoreflect.EnumNumber) string {
	v := e.Values().ByNumber(n)
	if v == nil {
		return fmt.Sprint(n)
	}
	zero := string(e.Values().ByNumber(0).Name())
	prefix := strings.TrimSuffix(zero, "UNSPECIFIED")
	word := strings.ToLower(strings.TrimPrefix(string(v.Name()), prefix))
	if word == "unspecified" {
		return ""
	}
	return word
}

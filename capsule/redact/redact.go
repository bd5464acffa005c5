package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
)

const (
	tag = "mh1."
	// idDigits is how much of the SHA-256, in hex, names a handle.
	idDigits = 16
)

// HandleID is the name of a handle that may be shown: the first 16 lower-case hex
// digits of the SHA-256 of its text.
func HandleID(handle string) string {
	sum := sha256.Sum256([]byte(handle))
	return hex.EncodeToString(sum[:])[:idDigits]
}

// Text replaces every handle in s by <handle:ID>: leftmost first, three segments
// and no more, so that what follows a handle survives.
func Text(s string) string {
	at := strings.Index(s, tag)
	if at < 0 {
		return s
	}
	var out strings.Builder
	for ; at >= 0; at = strings.Index(s, tag) {
		length := handleLength(s[at:])
		if length == 0 {
			out.WriteString(s[:at+1])
			s = s[at+1:]
			continue
		}
		out.WriteString(s[:at])
		out.WriteString("<handle:" + HandleID(s[at:at+length]) + ">")
		s = s[at+length:]
	}
	out.WriteString(s)
	return out.String()
}

// handleLength is the length of the handle s begins with, or 0. s begins with
// the tag.
func handleLength(s string) int {
	payload := segment(s[len(tag):])
	if payload == 0 {
		return 0
	}
	dot := len(tag) + payload
	if dot == len(s) || s[dot] != '.' {
		return 0
	}
	mac := segment(s[dot+1:])
	if mac == 0 {
		return 0
	}
	return dot + 1 + mac
}

// segment is how many of the leading bytes of s are base64url digits.
func segment(s string) int {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return i
		}
	}
	return len(s)
}

// JSON redacts every string in a value made of what encoding/json decodes into
// any, map keys included, and returns the result; v is not changed. Values of
// other types are returned as they are.
func JSON(v any) any {
	switch v := v.(type) {
	case string:
		return Text(v)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = JSON(element)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			out[Text(key)] = JSON(element)
		}
		return out
	default:
		return v
	}
}

// Writer redacts what is written to w. Each Write must hold whole lines, as a
// zerolog writer's does: a handle split over two writes is not seen. It is as
// safe for concurrent use as w is.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ to io.Writer }

// Write reports the length of p on success, whatever the length of the redacted
// text, as io.Writer demands.
func (w writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

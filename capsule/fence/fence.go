package fence

import "strings"

const (
	name    = "untrusted-content"
	opening = "<" + name + " source="
	closing = "</" + name + ">"
	// neutral goes right after the "<" of a marker that the text brought along.
	neutral = "!MURMUR-NEUTRALISED!"
)

// Wrap fences text under the name of its source, one of "tool:…", "task:…",
// "delegation:…".
func Wrap(source, text string) string {
	return opening + sourceName(source) + ">\n" + Neutralise(text) + "\n" + closing
}

// DelegationSource is the source name of what a delegated capsule says. The
// capsule is its bare name.
func DelegationSource(capsule string) string { return "delegation:" + capsule }

// Neutralise makes every opening or closing marker in text, in any letter case,
// into something that is not one.
func Neutralise(text string) string {
	var out strings.Builder
	copied := 0
	for i := range len(text) {
		if text[i] == '<' && marker(text[i+1:]) {
			out.WriteString(text[copied : i+1])
			out.WriteString(neutral)
			copied = i + 1
		}
	}
	if copied == 0 {
		return text
	}
	out.WriteString(text[copied:])
	return out.String()
}

// marker reports whether what follows a "<" makes it a marker.
func marker(rest string) bool {
	rest = strings.TrimPrefix(rest, "/")
	return len(rest) >= len(name) && asciiEqualFold(rest[:len(name)], name)
}

// asciiEqualFold compares without regard to the case of ASCII letters only:
// strings.EqualFold would also take look-alikes such as U+017F for an s, which
// no reader of the fence does.
func asciiEqualFold(a, lower string) bool {
	for i := range len(lower) {
		c := a[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

var sourceChars = strings.NewReplacer(">", "_", "\r", " ", "\n", " ")

// sourceName keeps a hostile name from ending the opening marker or its line.
func sourceName(source string) string { return sourceChars.Replace(Neutralise(source)) }

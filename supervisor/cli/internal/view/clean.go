package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s with everything that could steer a terminal or hide text spelled out: control characters, invalid UTF-8, and
// the format characters that reorder or join what is shown (bidirectional controls, zero-width marks, byte order marks). A line
// feed is spelled out too: one cell is one line.
func Clean(s string) string { return clean(s, false) }

// CleanText is Clean for a text of several lines: line feeds and tabs stay.
func CleanText(s string) string { return clean(s, true) }

// CleanLine is Clean for a line that may have tabs.
func CleanLine(s string) string { return strings.ReplaceAll(CleanText(s), "\n", `\n`) }

func clean(s string, lines bool) string {
	if harmless(s, lines) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case steers(r, lines):
			b.WriteString(spell(r))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func harmless(s string, lines bool) bool {
	for _, r := range s {
		if r == utf8.RuneError || steers(r, lines) {
			return false
		}
	}
	return true
}

// steers reports a rune that a terminal would act on or not show. unicode.Cf holds the bidirectional controls and zero-width
// marks, Zl and Zp the line and paragraph separators.
func steers(r rune, lines bool) bool {
	if lines && (r == '\n' || r == '\t') {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

func spell(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	switch {
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

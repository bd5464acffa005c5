package count

import "bytes"

// lexer walks over a text and sorts its bytes. Bytes that a language's rules do not mention are code.
type lexer struct {
	text  []byte
	class []byte
	pos   int
}

func (l *lexer) more() bool { return l.pos < len(l.text) }

// peek is the byte n after the current one, or 0.
func (l *lexer) peek(n int) byte {
	if i := l.pos + n; 0 <= i && i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func (l *lexer) at(prefix string) bool {
	return len(l.text)-l.pos >= len(prefix) && string(l.text[l.pos:l.pos+len(prefix)]) == prefix
}

// mark gives the next n bytes their class and passes them.
func (l *lexer) mark(n int, class byte) {
	end := min(l.pos+n, len(l.text))
	for ; l.pos < end; l.pos++ {
		l.class[l.pos] = class
	}
}

// restOfLine is how many bytes stand before the line's end.
func (l *lexer) restOfLine() int {
	if n := bytes.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
		return n
	}
	return len(l.text) - l.pos
}

// lineComment takes a comment up to the line's end, if one starts here with mark.
func (l *lexer) lineComment(mark string) bool {
	if !l.at(mark) {
		return false
	}
	l.mark(l.restOfLine(), inComment)
	return true
}

// blockComment takes a comment from open to end, if one starts here. One that is not closed takes all that is left.
func (l *lexer) blockComment(open, end string, nested bool) bool {
	if !l.at(open) {
		return false
	}
	l.mark(len(open), inComment)
	for depth := 1; depth > 0 && l.more(); {
		switch {
		case l.at(end):
			depth--
			l.mark(len(end), inComment)
		case nested && l.at(open):
			depth++
			l.mark(len(open), inComment)
		default:
			l.mark(1, inComment)
		}
	}
	return true
}

// How a string may go on.
type quoting struct {
	escapes bool // a backslash takes the byte after it along, a line's end too
	lines   bool // it may hold line ends; otherwise a missing quote ends it with its line
}

// quoted takes a string in the given quotes, if one starts here.
func (l *lexer) quoted(quote string, q quoting) bool {
	if !l.at(quote) {
		return false
	}
	l.mark(len(quote), inText)
	for l.more() {
		switch {
		case q.escapes && l.at("\\\r\n"):
			l.mark(3, inText)
		case q.escapes && l.at(`\`):
			l.mark(2, inText)
		case l.at(quote):
			l.mark(len(quote), inText)
			return true
		case l.at("\n") && !q.lines:
			return true
		default:
			l.mark(1, inText)
		}
	}
	return true
}

// through takes everything up to and including end as text, or all that is left.
func (l *lexer) through(end string) {
	if n := bytes.Index(l.text[l.pos:], []byte(end)); n >= 0 {
		l.mark(n+len(end), inText)
		return
	}
	l.mark(len(l.text)-l.pos, inText)
}

// lexOther sorts nothing: every line of an unknown language is code.
func lexOther(*lexer) {}

package count

import (
	"slices"
	"strings"
)

// What a value can follow; after anything else a slash divides.
const beforeRegexp = "(,=:[!&|?{};+-*%>~^"

var wordsBeforeRegexp = []string{
	"await", "case", "delete", "do", "else", "in", "instanceof", "new", "of", "return", "throw", "typeof", "void", "yield",
}

func lexJavaScript(l *lexer) {
	l.lineComment("#!")
	// For each template string that a ${ interrupts, the braces that are open in it.
	var templates []int
	last := -1 // offset of the last byte of code that is no white space
	for l.more() {
		start := l.pos
		switch {
		case l.lineComment("//"), l.blockComment("/*", "*/", false):
			continue
		case l.quoted(`"`, quoting{escapes: true}), l.quoted("'", quoting{escapes: true}):
		case l.at("`"):
			l.mark(1, inText)
			if l.template() {
				templates = append(templates, 0)
			}
		case l.at("}") && len(templates) > 0 && templates[len(templates)-1] == 0:
			templates = templates[:len(templates)-1]
			l.mark(1, inText)
			if l.template() {
				templates = append(templates, 0)
			}
		case l.at("/") && l.regexpMayFollow(last) && l.regexp():
		default:
			if len(templates) > 0 {
				switch l.text[l.pos] {
				case '{':
					templates[len(templates)-1]++
				case '}':
					templates[len(templates)-1]--
				}
			}
			l.pos++
		}
		if !isSpace(l.text[start]) {
			last = l.pos - 1
		}
	}
}

// template takes the rest of a template string and tells whether it was interrupted by ${.
func (l *lexer) template() bool {
	for l.more() {
		switch {
		case l.at("`"):
			l.mark(1, inText)
			return false
		case l.at("${"):
			l.mark(2, inText)
			return true
		case l.at(`\`):
			l.mark(2, inText)
		default:
			l.mark(1, inText)
		}
	}
	return false
}

// regexpMayFollow tells whether a slash after the byte at last starts a regular expression.
func (l *lexer) regexpMayFollow(last int) bool {
	if last < 0 {
		return true
	}
	if l.class[last] == inText {
		return string(l.text[max(0, last-1):last+1]) == "${"
	}
	if !isWord(l.text[last]) {
		return strings.IndexByte(beforeRegexp, l.text[last]) >= 0
	}
	start := last
	for start > 0 && isWord(l.text[start-1]) {
		start--
	}
	return slices.Contains(wordsBeforeRegexp, string(l.text[start:last+1]))
}

// regexp takes a regular expression that ends in this line, if there is one.
func (l *lexer) regexp() bool {
	set := false // inside [ ], where a slash is only a slash
	for n, end := 1, l.restOfLine(); n < end; n++ {
		switch c := l.peek(n); {
		case c == '\\':
			n++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			l.mark(n+1, inText)
			return true
		}
	}
	return false
}

package count

import (
	"bytes"
	"strings"
)

// hereDocument is text that starts in the next line and ends with a line of its own.
type hereDocument struct {
	end  string
	tabs bool // <<-: tabs before the end are ignored
}

func lexShell(l *lexer) {
	var waiting []hereDocument
	for l.more() {
		switch {
		case l.at("#") && l.wordMayStart():
			l.lineComment("#")
		case l.at(`\`):
			l.pos = min(l.pos+2, len(l.text))
		case l.at("$'"):
			l.pos++
			l.quoted("'", quoting{escapes: true, lines: true})
		case l.quoted("'", quoting{lines: true}), l.quoted(`"`, quoting{escapes: true, lines: true}):
		case l.at("<<<"):
			l.pos += 3
		case l.at("<<"):
			if d, found := l.hereDocument(); found {
				waiting = append(waiting, d)
			}
			l.pos += 2
		case l.at("\n"):
			l.pos++
			for _, d := range waiting {
				l.takeHereDocument(d)
			}
			waiting = nil
		default:
			l.pos++
		}
	}
}

// wordMayStart tells whether a # here starts a comment, and is not part of a word like $# or a#b.
func (l *lexer) wordMayStart() bool {
	return l.pos == 0 || isSpace(l.peek(-1)) || strings.IndexByte(";&|()", l.peek(-1)) >= 0
}

// hereDocument reads what follows << without passing it.
func (l *lexer) hereDocument() (hereDocument, bool) {
	rest := string(l.text[l.pos+2 : l.pos+l.restOfLine()])
	rest, tabs := strings.CutPrefix(rest, "-")
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return hereDocument{}, false
	}
	var end string
	switch quote := rest[0]; {
	case quote == '\'' || quote == '"':
		end, _, _ = strings.Cut(rest[1:], string(quote))
	case quote == '\\':
		end = firstWord(rest[1:])
	case !isDigit(quote): // 1<<2 is a number
		end = firstWord(rest)
	}
	return hereDocument{end: end, tabs: tabs}, end != ""
}

// takeHereDocument takes the lines to the one that ends it. Without such a line it was none.
func (l *lexer) takeHereDocument(d hereDocument) {
	for at := l.pos; at < len(l.text); {
		line, _, _ := bytes.Cut(l.text[at:], []byte("\n"))
		at = min(at+len(line)+1, len(l.text))
		text := strings.TrimSuffix(string(line), "\r")
		if d.tabs {
			text = strings.TrimLeft(text, "\t")
		}
		if text == d.end {
			l.mark(at-l.pos, inText)
			return
		}
	}
}

// firstWord is the letters, digits and the like that s starts with.
func firstWord(s string) string {
	n := 0
	for n < len(s) && (isWord(s[n]) || s[n] == '-' || s[n] == '.') {
		n++
	}
	return s[:n]
}

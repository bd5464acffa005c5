package count

import "unicode/utf8"

// The languages whose comments are // and /* */.

func lexGo(l *lexer) {
	for l.more() {
		switch {
		case l.lineComment("//"), l.blockComment("/*", "*/", false):
		case l.quoted(`"`, quoting{escapes: true}), l.quoted("'", quoting{escapes: true}):
		case l.quoted("`", quoting{lines: true}):
		default:
			l.pos++
		}
	}
}

func lexProtobuf(l *lexer) {
	for l.more() {
		switch {
		case l.lineComment("//"), l.blockComment("/*", "*/", false):
		case l.quoted(`"`, quoting{escapes: true}), l.quoted("'", quoting{escapes: true}):
		default:
			l.pos++
		}
	}
}

func lexC(l *lexer) {
	for l.more() {
		switch {
		case l.at("//"):
			// A backslash before the line's end makes the comment go on in the next line.
			for l.lineCommentGoesOn() {
				l.mark(1, inComment)
			}
		case l.blockComment("/*", "*/", false):
		case l.at("'") && isDigit(l.peek(-1)): // 1'000'000
			l.pos++
		case l.quoted(`"`, quoting{escapes: true}), l.quoted("'", quoting{escapes: true}):
		default:
			l.pos++
		}
	}
}

func (l *lexer) lineCommentGoesOn() bool {
	n := l.restOfLine()
	l.mark(n, inComment)
	last := l.peek(-1)
	if last == '\r' {
		last = l.peek(-2)
	}
	return n > 0 && last == '\\' && l.more()
}

func lexRust(l *lexer) {
	for l.more() {
		switch {
		case l.lineComment("//"), l.blockComment("/*", "*/", true):
		case l.rustRawString():
		case l.quoted(`"`, quoting{escapes: true, lines: true}):
		case l.at("'") && !l.rustCharacter(): // a lifetime
			l.pos++
		case l.quoted("'", quoting{escapes: true}):
		default:
			l.pos++
		}
	}
}

// rustCharacter tells 'x' and '\n' from the lifetime 'x.
func (l *lexer) rustCharacter() bool {
	if l.peek(1) == '\\' {
		return true
	}
	_, size := utf8.DecodeRune(l.text[min(l.pos+1, len(l.text)):])
	return size > 0 && l.peek(1+size) == '\''
}

// rustRawString takes r"…", r#"…"# and so on; a b or c before the r is code like any other prefix.
func (l *lexer) rustRawString() bool {
	if !l.at("r") {
		return false
	}
	before := l.peek(-1)
	if prefix := (before == 'b' || before == 'c') && !isWord(l.peek(-2)); isWord(before) && !prefix {
		return false
	}
	hashes := 0
	for l.peek(1+hashes) == '#' {
		hashes++
	}
	if l.peek(1+hashes) != '"' {
		return false
	}
	end := make([]byte, 1+hashes)
	for i := range end {
		end[i] = '#'
	}
	end[0] = '"'
	l.mark(2+hashes, inText)
	l.through(string(end))
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

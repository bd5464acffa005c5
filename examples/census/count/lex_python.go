package count

func lexPython(l *lexer) {
	for l.more() {
		switch {
		case l.lineComment("#"):
		case l.quoted(`"""`, quoting{escapes: true, lines: true}), l.quoted("'''", quoting{escapes: true, lines: true}):
		case l.quoted(`"`, quoting{escapes: true}), l.quoted("'", quoting{escapes: true}):
		default:
			l.pos++
		}
	}
}

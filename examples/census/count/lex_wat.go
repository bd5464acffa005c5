package count

func lexWAT(l *lexer) {
	for l.more() {
		switch {
		case l.lineComment(";;"), l.blockComment("(;", ";)", true):
		case l.quoted(`"`, quoting{escapes: true}):
		default:
			l.pos++
		}
	}
}

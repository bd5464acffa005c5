package count

import "strings"

func lexMarkdown(l *lexer) {
	fence := ""
	for l.more() {
		line := string(l.text[l.pos : l.pos+l.restOfLine()])
		mark := fenceOf(line)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark {
				fence = ""
			}
			l.pos += len(line)
		case mark != "":
			fence = mark
			l.pos += len(line)
		default:
			l.markdownLine()
		}
		l.pos = min(l.pos+1, len(l.text))
	}
}

// markdownLine sorts what stands before the line's end, and more lines when a comment spans them.
func (l *lexer) markdownLine() {
	for l.more() && !l.at("\n") {
		switch {
		case l.blockComment("<!--", "-->", false):
		case l.at("`"):
			l.codeSpan()
		default:
			l.pos++
		}
	}
}

// codeSpan takes text between two equal runs of backticks, or passes a run that has no partner in its line.
func (l *lexer) codeSpan() {
	rest := string(l.text[l.pos : l.pos+l.restOfLine()])
	run := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
	for at := len(run); ; {
		n := strings.Index(rest[at:], run)
		if n < 0 {
			l.pos += len(run)
			return
		}
		at += n
		found := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		if found == len(run) {
			l.mark(at+found, inText)
			return
		}
		at += found
	}
}

// fenceOf is the run of three or more backticks or tildes that a line starts with.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		if run := line[:len(line)-len(strings.TrimLeft(line, mark))]; len(run) >= 3 {
			return run
		}
	}
	return ""
}

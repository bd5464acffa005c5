package count

import (
	"bytes"
	"strings"
)

func lexYAML(l *lexer) {
	block := -1 // the column of the entry whose block of text this is, or -1
	for l.more() {
		line := l.text[l.pos : l.pos+l.restOfLine()]
		content := bytes.TrimLeft(line, " ")
		switch column := len(line) - len(content); {
		case block >= 0 && (len(bytes.TrimSpace(content)) == 0 || column > block):
			l.mark(len(line), inText)
		default:
			start := l.pos
			l.yamlLine()
			block = yamlBlock(l.text[start:l.pos], l.class[start:l.pos])
		}
		l.pos = min(l.pos+1, len(l.text))
	}
}

// yamlLine sorts what stands before the line's end, and more lines when a string spans them.
func (l *lexer) yamlLine() {
	value := true // a value may start here, so a quote opens a string
	for l.more() && !l.at("\n") {
		c := l.text[l.pos]
		spaced := l.pos == 0 || isSpace(l.peek(-1))
		switch {
		case c == '#' && spaced:
			l.lineComment("#")
		case value && c == '"':
			l.quoted(`"`, quoting{escapes: true, lines: true})
			value = false
		case value && c == '\'':
			l.quoted("'", quoting{lines: true})
			// A doubled quote stands for one.
			value = l.at("'")
		case isSpace(c):
			l.pos++
		default:
			indicator := strings.IndexByte("[{,", c) >= 0 || strings.IndexByte(":-?", c) >= 0 && isSpace(l.peek(1))
			value = indicator
			l.pos++
		}
	}
}

// yamlBlock tells whether a line opens a block of text with | or >, and the column of the entry that owns it.
func yamlBlock(line, class []byte) int {
	code := make([]byte, 0, len(line))
	for i, c := range line {
		if class[i] == inCode {
			code = append(code, c)
		} else {
			code = append(code, '"')
		}
	}
	text := strings.TrimRight(string(code), "\" \t\r")
	words := strings.Fields(text)
	if len(words) == 0 {
		return -1
	}
	last := words[len(words)-1]
	if strings.Trim(last[1:], "+-123456789") != "" || last[0] != '|' && last[0] != '>' {
		return -1
	}
	// "- a: |" belongs to a, "- |" to the dash.
	column := len(text) - len(strings.TrimLeft(text, " "))
	for strings.HasPrefix(text[column:], "- ") && len(strings.Fields(text[column:])) > 2 {
		rest := strings.TrimLeft(text[column+1:], " ")
		column = len(text) - len(rest)
	}
	return column
}

package count

import (
	"bytes"
	"strings"
)

// goFunctions visits the function declarations, which in Go stand outside of all brackets and start a statement.
func goFunctions(s *source, visit visitor) {
	partner := brackets(s.code)
	for i := 0; i < len(s.code); i++ {
		switch c := s.code[i]; {
		case c == '(' || c == '[' || c == '{':
			if partner[i] < 0 {
				return
			}
			i = partner[i]
		case c == 'f' && wordAt(s.code, i, "func") && goStatementStarts(s.code, i):
			name, body := goSignature(s.code, partner, i+len("func"))
			if body < 0 || partner[body] < 0 {
				continue
			}
			visit(name, i, partner[body])
			i = partner[body]
		}
	}
}

// goStatementStarts tells a declaration from a type or value that happens to stand outside of brackets: it follows a
// semicolon, written or implied by a line's end.
func goStatementStarts(code []byte, i int) bool {
	before := backSpace(code, i-1)
	if before < 0 || code[before] == ';' {
		return true
	}
	implied := isWord(code[before]) || strings.IndexByte(`)]}"`, code[before]) >= 0
	return implied && bytes.IndexByte(code[before:i], '\n') >= 0
}

// goSignature reads from after the keyword: the name, with its receiver's type before a dot, and the offset of the brace
// that opens the body, or -1.
func goSignature(code []byte, partner []int, i int) (string, int) {
	i = skipSpace(code, i)
	receiver := ""
	if i < len(code) && code[i] == '(' {
		if partner[i] < 0 {
			return "", -1
		}
		receiver = goReceiver(string(code[i+1:partner[i]])) + "."
		i = skipSpace(code, partner[i]+1)
	}
	end := wordFrom(code, i)
	name := receiver + string(code[i:end])
	if end == i {
		return "", -1
	}
	parameters := false
	for i = end; i < len(code); i++ {
		switch code[i] {
		case '(', '[':
			if partner[i] < 0 {
				return "", -1
			}
			parameters = parameters || code[i] == '('
			i = partner[i]
		case '{':
			before := backSpace(code, i-1)
			word := string(code[wordTo(code, before) : before+1])
			if word != "struct" && word != "interface" {
				return name, i
			}
			if partner[i] < 0 {
				return "", -1
			}
			i = partner[i]
		case '\n', ';':
			if parameters {
				return "", -1
			}
		}
	}
	return "", -1
}

// goReceiver is T for each of "t T", "t *T" and "t *T[K]".
func goReceiver(parameter string) string {
	parameter, _, _ = strings.Cut(parameter, "[")
	parameter = strings.TrimRight(parameter, " \t\r\n,)")
	return parameter[strings.LastIndexAny(parameter, " \t\n*(")+1:]
}

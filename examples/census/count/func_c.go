package count

import (
	"bytes"
	"slices"
	"strings"
)

// cFunctions visits what has a name, parameters and a body outside of all braces.
func cFunctions(s *source, visit visitor) {
	code := withoutDirectives(s.code)
	partner := brackets(code)
	header := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case ';', '}':
			header = i + 1
		case '{':
			if cTransparent(code[header:i]) {
				header = i + 1
				continue
			}
			if partner[i] < 0 {
				return
			}
			name, at := cName(code[header:i])
			if name != "" {
				visit(name, header+at, partner[i])
				header = partner[i] + 1
			}
			i = partner[i]
		}
	}
}

// withoutDirectives blanks the preprocessor's lines.
func withoutDirectives(code []byte) []byte {
	out := bytes.Clone(code)
	directive := false
	for start := 0; start < len(out); {
		end := start + bytes.IndexByte(out[start:], '\n')
		if end < start {
			end = len(out)
		}
		line := out[start:end]
		directive = directive || bytes.HasPrefix(bytes.TrimSpace(line), []byte("#"))
		if directive {
			directive = bytes.HasSuffix(bytes.TrimRight(line, "\r"), []byte(`\`))
			for i := range line {
				line[i] = ' '
			}
		}
		start = end + 1
	}
	return out
}

// cTransparent tells whether the braces after header enclose declarations like any outside of them.
func cTransparent(header []byte) bool {
	words := strings.Fields(string(header))
	return len(words) > 0 && (words[0] == "extern" || words[0] == "namespace") && !bytes.ContainsAny(header, "(=")
}

// What a parenthesis follows that holds no parameters.
var cNotNames = []string{
	"_Alignas", "__attribute__", "__declspec", "alignas", "asm", "do", "else", "for", "if", "return", "sizeof", "switch",
	"typeof", "while",
}

// cName is the name of the function that header declares, and its offset; "" if it declares none.
func cName(header []byte) (string, int) {
	partner := brackets(header)
	for i := 0; i < len(header); i++ {
		switch header[i] {
		case '=':
			return "", 0
		case '(':
			last := backSpace(header, i-1)
			first := wordTo(header, last)
			name := string(header[first : last+1])
			if name != "" && !slices.Contains(cNotNames, name) {
				return name, first
			}
			if partner[i] < 0 {
				return "", 0
			}
			i = partner[i]
		}
	}
	return "", 0
}

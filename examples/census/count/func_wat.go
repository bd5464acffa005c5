package count

// watFunctions visits the functions that a module defines; those inside an import or a type only describe one.
func watFunctions(s *source, visit visitor) {
	var heads []int // offsets of the parentheses that are open
	for i, c := range s.code {
		switch c {
		case '(':
			heads = append(heads, i)
		case ')':
			if len(heads) == 0 {
				continue
			}
			start := heads[len(heads)-1]
			heads = heads[:len(heads)-1]
			if watHead(s.code, start) != "func" {
				continue
			}
			if len(heads) == 0 || watHead(s.code, heads[len(heads)-1]) == "module" {
				visit(watName(s.code, start), start, i)
			}
		}
	}
}

// watHead is the word after the parenthesis at i.
func watHead(code []byte, i int) string {
	start := skipSpace(code, i+1)
	return string(code[start:wordFrom(code, start)])
}

// watName is the $name of the function whose parenthesis is at i.
func watName(code []byte, i int) string {
	start := skipSpace(code, wordFrom(code, skipSpace(code, i+1)))
	if start >= len(code) || code[start] != '$' {
		return nameless
	}
	end := start
	for end < len(code) && !isSpace(code[end]) && code[end] != '(' && code[end] != ')' {
		end++
	}
	return string(code[start:end])
}

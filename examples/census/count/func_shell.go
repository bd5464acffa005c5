package count

// shellFunctions visits "name() {" and "function name {".
func shellFunctions(s *source, visit visitor) {
	partner := brackets(s.code)
	for i, c := range s.code {
		if c != '{' || partner[i] < 0 {
			continue
		}
		last := backSpace(s.code, i-1)
		parentheses := last >= 0 && s.code[last] == ')' && partner[last] == backSpace(s.code, last-1)
		if parentheses {
			last = backSpace(s.code, partner[last]-1)
		}
		start := shellWord(s.code, last)
		if start > last {
			continue
		}
		before := backSpace(s.code, start-1)
		keyword := wordTo(s.code, before)
		if before >= 0 && string(s.code[keyword:before+1]) == "function" {
			visit(string(s.code[start:last+1]), keyword, partner[i])
		} else if parentheses {
			visit(string(s.code[start:last+1]), start, partner[i])
		}
	}
}

// shellWord is the offset of the first byte of the name whose last byte is at i; names may hold more than words do.
func shellWord(code []byte, i int) int {
	for i >= 0 && (isWord(code[i]) || code[i] == '-' || code[i] == '.' || code[i] == ':') {
		i--
	}
	return i + 1
}

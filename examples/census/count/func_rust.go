package count

// rustFunctions visits every fn that has a body.
func rustFunctions(s *source, visit visitor) {
	partner := brackets(s.code)
	for i := 0; i < len(s.code); i++ {
		if s.code[i] != 'f' || !wordAt(s.code, i, "fn") {
			continue
		}
		name := skipSpace(s.code, i+len("fn"))
		end := wordFrom(s.code, name)
		if end == name { // the type of a function
			continue
		}
		if body := rustBody(s.code, partner, end); body >= 0 && partner[body] >= 0 {
			visit(string(s.code[name:end]), i, partner[body])
		}
		i = end
	}
}

// rustBody is the offset of the brace that opens the body of the function whose signature goes on at i, or -1.
func rustBody(code []byte, partner []int, i int) int {
	for ; i < len(code); i++ {
		switch code[i] {
		case '(', '[':
			if partner[i] < 0 {
				return -1
			}
			i = partner[i]
		case '{':
			return i
		case ';', '}':
			return -1
		}
	}
	return -1
}

package count

// brackets finds each bracket's partner in code: the offset of the other one, or -1 for one without and for every other
// byte. The three kinds are matched by themselves, so that a fault in one does not spoil the others.
func brackets(code []byte) []int {
	partner := make([]int, len(code))
	var round, square, curly []int
	for i, c := range code {
		partner[i] = -1
		switch c {
		case '(':
			round = append(round, i)
		case ')':
			round = closeBracket(partner, round, i)
		case '[':
			square = append(square, i)
		case ']':
			square = closeBracket(partner, square, i)
		case '{':
			curly = append(curly, i)
		case '}':
			curly = closeBracket(partner, curly, i)
		}
	}
	return partner
}

func closeBracket(partner, open []int, i int) []int {
	if len(open) == 0 {
		return open
	}
	last := open[len(open)-1]
	partner[last], partner[i] = i, last
	return open[:len(open)-1]
}

// skipSpace is the offset of the first byte from i on that is no white space, or the length of code.
func skipSpace(code []byte, i int) int {
	for i < len(code) && isSpace(code[i]) {
		i++
	}
	return i
}

// backSpace is the offset of the last byte from i down that is no white space, or -1.
func backSpace(code []byte, i int) int {
	for i >= 0 && isSpace(code[i]) {
		i--
	}
	return i
}

// wordFrom is the offset after the word that starts at i; i itself if none does.
func wordFrom(code []byte, i int) int {
	for i < len(code) && isWord(code[i]) {
		i++
	}
	return i
}

// wordTo is the offset of the first byte of the word whose last byte is at i; i+1 if there is none.
func wordTo(code []byte, i int) int {
	for i >= 0 && isWord(code[i]) {
		i--
	}
	return i + 1
}

// wordAt tells whether the word w, and no longer one, stands at i.
func wordAt(code []byte, i int, w string) bool {
	return len(code)-i >= len(w) && string(code[i:i+len(w)]) == w &&
		(i == 0 || !isWord(code[i-1])) && (i+len(w) == len(code) || !isWord(code[i+len(w)]))
}

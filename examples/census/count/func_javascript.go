package count

import (
	"slices"
	"strings"
)

// nameless is the name of a function that has none.
const nameless = "(anonymous)"

var javaScriptBlocks = []string{"catch", "for", "if", "switch", "while", "with"}

// javaScriptFunctions visits functions, methods and arrow functions whose body stands in braces.
func javaScriptFunctions(s *source, visit visitor) {
	partner := brackets(s.code)
	for i, c := range s.code {
		if c != '{' || partner[i] < 0 {
			continue
		}
		if name, start := javaScriptName(s.code, partner, i); start >= 0 {
			visit(name, start, partner[i])
		}
	}
}

// javaScriptName is the name of the function whose body opens at i, and where it starts: -1 if that is another block.
func javaScriptName(code []byte, partner []int, i int) (string, int) {
	last := backSpace(code, i-1)
	arrow := last > 0 && code[last] == '>' && code[last-1] == '='
	if arrow {
		last = backSpace(code, last-2)
	}
	if last < 0 {
		return "", -1
	}
	if code[last] != ')' {
		last = beforeReturnType(code, last)
	}
	if last < 0 {
		if arrow { // x => { … }
			return nameless, i
		}
		return "", -1
	}
	open := partner[last]
	if open < 0 {
		return "", -1
	}
	end := backSpace(code, open-1)
	start := wordTo(code, end)
	switch word := string(code[start : end+1]); {
	case arrow && (word == "" || word == "async"):
		return givenName(code, start-1, open)
	case arrow:
		return nameless, open
	case word == "function":
		return givenName(code, start-1, start)
	case word == "" || slices.Contains(javaScriptBlocks, word):
		return "", -1
	default:
		return word, start
	}
}

// beforeReturnType is the offset of the parenthesis before ": type", when that is what ends at last; else -1.
func beforeReturnType(code []byte, last int) int {
	for i := last; i >= 0 && strings.IndexByte("{}();=", code[i]) < 0; i-- {
		if code[i] != ':' {
			continue
		}
		if before := backSpace(code, i-1); before >= 0 && code[before] == ')' {
			return before
		}
	}
	return -1
}

// givenName is the name that a function gets by "name =" or "name:" before i, and its offset; without one it starts at
// fallback.
func givenName(code []byte, i, fallback int) (string, int) {
	i = backSpace(code, i)
	if i < 0 || code[i] != '=' && code[i] != ':' {
		return nameless, fallback
	}
	end := backSpace(code, i-1)
	start := wordTo(code, end)
	if start > end {
		return nameless, fallback
	}
	return string(code[start : end+1]), start
}

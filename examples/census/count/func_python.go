package count

import "bytes"

// pythonFunction is a function whose end has not been met.
type pythonFunction struct {
	name          string
	indent, start int
}

// pythonFunctions visits every def. A function ends with the last line of code before one that is not indented deeper.
func pythonFunctions(s *source, visit visitor) {
	var open []pythonFunction
	last := 0 // offset in the last line of code
	leave := func(indent int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			f := open[len(open)-1]
			open = open[:len(open)-1]
			visit(f.name, f.start, last)
		}
	}
	depth := 0 // of brackets
	for n, start := range s.starts {
		end := len(s.code)
		if n+1 < len(s.starts) {
			end = s.starts[n+1]
		}
		line := s.code[start:end]
		first := skipSpace(line, 0)
		if first == len(line) { // blank, or comment
			continue
		}
		if depth == 0 && !s.goesOn(start) {
			indent := indentation(line[:first])
			leave(indent)
			if name := pythonName(line[first:]); name != "" {
				open = append(open, pythonFunction{name, indent, start})
			}
		}
		last = start
		depth = max(0, depth+balance(line))
	}
	leave(0)
}

// goesOn tells whether the line that starts at start is part of the statement before it.
func (s *source) goesOn(start int) bool {
	if start == 0 {
		return false
	}
	before := bytes.TrimRight(s.code[:start], "\r\n")
	return s.class[start-1] == inText || bytes.HasSuffix(before, []byte(`\`))
}

// indentation is the column after white space; a tab goes to the next multiple of eight.
func indentation(space []byte) int {
	column := 0
	for _, c := range space {
		if c == '\t' {
			column += 8 - column%8
		} else {
			column++
		}
	}
	return column
}

func pythonName(line []byte) string {
	i := 0
	if wordAt(line, i, "async") {
		i = skipSpace(line, len("async"))
	}
	if !wordAt(line, i, "def") {
		return ""
	}
	name := skipSpace(line, i+len("def"))
	return string(line[name:wordFrom(line, name)])
}

// balance is how many more brackets a line opens than it closes.
func balance(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

package count

import "strings"

// maxName bounds a function's name in bytes. Names of people's code are shorter; a generated one must not make a report
// so long that it is cut on its way (64 KiB for all languages of a shard).
const maxName = 256

// Report has the sums by language, under the names of Languages.
type Report map[string]Sum

// Sum is what was counted in the files of one language.
type Sum struct {
	Files   int `json:"files"`
	Lines   int `json:"lines"`
	Code    int `json:"code"`
	Comment int `json:"comment"`
	Blank   int `json:"blank"`
	// Longest is nil where there is no function.
	Longest *Function `json:"longest,omitempty"`
}

// Function is a function and where it stands.
type Function struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Line  int    `json:"line"` // its first line, from 1
	Lines int    `json:"lines"`
}

// Count adds one file. The path decides the language, and the first line where the path has no extension.
func (r Report) Count(path string, text []byte) {
	l := languageOf(path, text)
	s := read(text, l)
	sum := s.lines()
	sum.Files = 1
	if l.functions != nil {
		l.functions(s, func(name string, start, end int) {
			first := s.line(start)
			name = strings.ToValidUTF8(name[:min(len(name), maxName)], "")
			sum.Longest = longer(sum.Longest, &Function{Name: name, File: path, Line: first, Lines: s.line(end) - first + 1})
		})
	}
	r.add(l.name, sum)
}

// Merge adds all of another report. The order of merging does not matter.
func (r Report) Merge(other Report) {
	for name, sum := range other {
		r.add(name, sum)
	}
}

// Total is the sum over all languages.
func (r Report) Total() Sum {
	var total Sum
	for _, sum := range r {
		total = total.plus(sum)
	}
	return total
}

func (r Report) add(language string, sum Sum) { r[language] = r[language].plus(sum) }

func (s Sum) plus(o Sum) Sum {
	return Sum{
		Files:   s.Files + o.Files,
		Lines:   s.Lines + o.Lines,
		Code:    s.Code + o.Code,
		Comment: s.Comment + o.Comment,
		Blank:   s.Blank + o.Blank,
		Longest: longer(s.Longest, o.Longest),
	}
}

// longer prefers, among functions of one length, the one that comes first by file and line, so that the order in which
// reports arrive does not show.
func longer(a, b *Function) *Function {
	switch {
	case a == nil:
		return b
	case b == nil || a.Lines > b.Lines:
		return a
	case a.Lines < b.Lines:
		return b
	case b.File < a.File || b.File == a.File && b.Line < a.Line:
		return b
	}
	return a
}

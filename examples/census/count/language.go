package count

import (
	"bytes"
	"path"
	"strings"
)

// language is how one language is read: lex sorts its bytes, functions visits its functions (nil: it has none).
type language struct {
	name      string
	lex       func(*lexer)
	functions func(*source, visitor)
}

// visitor is told a function's name and the offsets of its first and last byte.
type visitor func(name string, start, end int)

var (
	goLang     = language{"Go", lexGo, goFunctions}
	cLang      = language{"C", lexC, cFunctions}
	rust       = language{"Rust", lexRust, rustFunctions}
	python     = language{"Python", lexPython, pythonFunctions}
	javaScript = language{"JavaScript/TypeScript", lexJavaScript, javaScriptFunctions}
	shell      = language{"Shell", lexShell, shellFunctions}
	yaml       = language{"YAML", lexYAML, nil}
	markdown   = language{"Markdown", lexMarkdown, nil}
	protobuf   = language{"Protobuf", lexProtobuf, nil}
	wat        = language{"WAT", lexWAT, watFunctions}
	other      = language{"Other", lexOther, nil}
)

var byExtension = map[string]language{
	".go": goLang,
	".c":  cLang, ".h": cLang,
	".rs": rust,
	".py": python, ".pyi": python,
	".js": javaScript, ".cjs": javaScript, ".mjs": javaScript, ".jsx": javaScript,
	".ts": javaScript, ".cts": javaScript, ".mts": javaScript, ".tsx": javaScript,
	".sh": shell, ".bash": shell,
	".yaml": yaml, ".yml": yaml,
	".md": markdown, ".markdown": markdown,
	".proto": protobuf,
	".wat":   wat, ".wast": wat,
}

var byInterpreter = map[string]language{
	"sh": shell, "bash": shell, "dash": shell, "ksh": shell, "zsh": shell,
	"python": python, "python3": python,
	"node": javaScript,
}

// languageOf goes by the extension; a file without one may name its interpreter in a "#!" line.
func languageOf(file string, text []byte) language {
	if extension := strings.ToLower(path.Ext(file)); extension != "" {
		if l, known := byExtension[extension]; known {
			return l
		}
		return other
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	command, found := strings.CutPrefix(string(first), "#!")
	if !found {
		return other
	}
	for _, word := range strings.Fields(command) {
		if l, known := byInterpreter[path.Base(word)]; known {
			return l
		}
	}
	return other
}

package count

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// want is what a file counts to; longest is "name:line:lines", or "" for none.
type want struct {
	code, comment, blank int
	longest              string
}

type example struct {
	file, text string
	want       want
}

func check(t *testing.T, examples map[string]example) {
	t.Helper()
	for name, e := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Report{}
			r.Count(e.file, []byte(e.text))
			sum := r.Total()
			longest := ""
			if f := sum.Longest; f != nil {
				assert.Equal(t, e.file, f.File)
				longest = fmt.Sprintf("%s:%d:%d", f.Name, f.Line, f.Lines)
			}
			assert.Equal(t, e.want, want{sum.Code, sum.Comment, sum.Blank, longest})
			assert.Equal(t, sum.Lines, sum.Code+sum.Comment+sum.Blank)
			assert.Equal(t, 1, sum.Files)
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"an empty file has no lines":                     {"a.go", "", want{}},
		"a lone line feed is a blank line":               {"a.go", "\n", want{blank: 1}},
		"a last line without a line feed counts":         {"a.go", "package a\n// b", want{code: 1, comment: 1}},
		"CRLF is a line end and white space":             {"a.go", "package a\r\n\r\n// b\r\n", want{code: 1, comment: 1, blank: 1}},
		"a byte order mark is nothing":                   {"a.go", "\ufeff// a\n", want{comment: 1}},
		"code beside a comment is code":                  {"a.go", "a /* b */\n/* c */ d\n/* e */\n", want{code: 2, comment: 1}},
		"a blank line in a comment is blank":             {"a.c", "/* a\n\n b */\n", want{comment: 2, blank: 1}},
		"a blank line in a string is blank":              {"a.go", "a := `b\n\n`\n", want{code: 2, blank: 1}},
		"a comment that is not closed goes to the end":   {"a.c", "int a;\n/* b\nc\n", want{code: 1, comment: 2}},
		"a string that is not closed ends with its line": {"a.c", "char *a = \"b\n/* c */\n", want{code: 1, comment: 1}},
		"in an unknown language all text is code":        {"a.txt", "# a\n// b\n\n", want{code: 2, blank: 1}},
		"bytes that are no UTF-8 are code":               {"a.go", "\xff\xfe\n// \xff\n", want{code: 1, comment: 1}},
	})
}

func TestGo(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"comment marks in strings are text":      {"a.go", "a := \"/* b\" + \"// c\"\nb := '\"' // d\nc := `\n// e\n`\n", want{code: 5}},
		"an escaped quote does not end a string": {"a.go", "a := \"\\\"/*\"\nb\n", want{code: 2}},
		"the longest function is found": {
			"a.go", "package a\n\nfunc a() {}\n\nfunc b(\n\tx int,\n) {\n}\n", want{6, 0, 2, "b:5:4"},
		},
		"a method has its type's name": {
			"a.go", "func (s *Set[K, V]) Add(k K) {\n}\n", want{2, 0, 0, "Set.Add:1:2"},
		},
		"literals, types and bodies elsewhere are no declarations": {
			"a.go", "type F func()\n\nfunc asm()\n\nvar f = func() {\n\n\n\n}\n\nfunc g() struct{} {\n}\n", want{6, 0, 6, "g:11:2"},
		},
		"braces in strings and comments do not end a function": {
			"a.go", "func a() {\n\tb(\"}\") // }\n\tc('}')\n}\n", want{4, 0, 0, "a:1:4"},
		},
	})
}

func TestC(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"a backslash makes a line comment go on": {"a.c", "// a \\\nb\nc;\n", want{code: 1, comment: 2}},
		"block comments do not nest":             {"a.c", "/* /* */ a */\n", want{code: 1}},
		"comment marks in strings are text":      {"a.c", "char *a = \"/*\", b = '\"';\nint c; // */\n", want{code: 2}},
		"a function's name may follow its type":  {"a.c", "static int\nf(int a)\n{\n\treturn a;\n}\n", want{5, 0, 0, "f:2:4"}},
		"an attribute is no name": {
			"a.h", "__attribute__((unused)) void f(void) {\n}\n", want{2, 0, 0, "f:1:2"},
		},
		"tables, structs and control blocks are no functions": {
			"a.c", "struct s {\n int a;\n};\nint t[] = {\n f(1),\n};\nvoid g(void) {\n if (a) {\n }\n}\n", want{10, 0, 0, "g:7:4"},
		},
		"functions in extern C are found": {
			"a.h", "extern \"C\" {\nint f(void)\n{ return 1; }\n}\n", want{4, 0, 0, "f:2:2"},
		},
		"the preprocessor's lines declare nothing": {
			"a.c", "#define F(x) do { \\\n x; \\\n}\nint g(void) { return 1; }\n", want{4, 0, 0, "g:4:1"},
		},
	})
}

func TestRust(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"block comments nest":               {"a.rs", "/* a /* b */\nc */\nd\n", want{code: 1, comment: 2}},
		"raw strings end with their hashes": {"a.rs", "let a = r#\"\"/*\"#;\nlet b = br\"\\\"; // c\n", want{code: 2}},
		"a raw identifier is no string":     {"a.rs", "let r#fn = 1; // \"\n/* a */\n", want{code: 1, comment: 1}},
		"a lifetime is no character":        {"a.rs", "fn a<'b>(c: &'b str) {\n}\n// '\n", want{2, 1, 0, "a:1:2"}},
		"characters hold quotes":            {"a.rs", "let a = '\"'; let b = '\\''; // c\n// d\n", want{code: 1, comment: 1}},
		"strings span lines":                {"a.rs", "let a = \"b\n// c\";\n", want{code: 2}},
		"a function inside a function has its own lines": {
			"a.rs", "impl A {\n  fn a(&self) -> [u8; 2] {\n    fn b() {\n    }\n  }\n  fn c();\n}\n", want{7, 0, 0, "a:2:4"},
		},
	})
}

func TestPython(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"a docstring is code":        {"a.py", "\"\"\"A.\n# b\n\"\"\"\n# c\n", want{code: 3, comment: 1}},
		"a hash in a string is text": {"a.py", "a = '#' + \"\\\"#\"\nb = '''\n# c\n'''\n", want{code: 4}},
		"a shebang line is comment":  {"run", "#!/usr/bin/env python3\na = 1\n", want{code: 1, comment: 1}},
		"a function ends before the next code at its depth": {
			"a.py", "class A:\n  async def f(\n    self,\n):\n    a = '''\nb\n'''\n\n    # c\n    return (\n1)\n\n# d\nx = 1\n",
			want{10, 2, 2, "f:2:10"},
		},
		"functions nest": {
			"a.py", "def a():\n  def b():\n    pass\n    pass\n  return b\ndef c(): pass\n", want{6, 0, 0, "a:1:5"},
		},
	})
}

func TestJavaScript(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"a template holds code that holds templates": {"a.js", "a = `// ${b(`/*`, {c: 1})} /*`\n// d\n", want{code: 1, comment: 1}},
		"a regular expression holds comment marks":   {"a.ts", "a = /[/*]\\/\"/.test(b)\n// c\nreturn /`/\n// d\n", want{code: 2, comment: 2}},
		"a division is no regular expression":        {"a.js", "a = b / c // d / e\n/* f */\n", want{code: 1, comment: 1}},
		"functions, methods and arrows are found": {
			"a.js", "function a() {\n}\nclass B {\n  c(d) {\n    if (d) {\n    }\n  }\n}\n", want{8, 0, 0, "c:4:4"},
		},
		"an arrow has the name it is given": {
			"a.ts", "const f = async (a: {b: number}): Promise<void> => {\n  g()\n}\n", want{3, 0, 0, "f:1:3"},
		},
		"a function without a name says so": {
			"a.js", "on('a', function () {\n})\n", want{2, 0, 0, "(anonymous):1:2"},
		},
		"a method may have a return type": {
			"a.ts", "class A {\n  b(c: C): D[] {\n  }\n}\n", want{4, 0, 0, "b:2:2"},
		},
	})
}

func TestShell(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"a hash inside a word is no comment": {"a.sh", "echo $# ${#a} a#b \\# # c\n# d\n", want{code: 1, comment: 1}},
		"quotes span lines":                  {"a.sh", "a='\n# b\n'\nc=\"\\\"\n# d\"\n", want{code: 5}},
		"a here-document is text":            {"a.sh", "cat <<-'X' <<Y\n# a'\n\tX\n# b\nY\n# c\n", want{code: 5, comment: 1}},
		"a here-string and a shift are none": {"a.bash", "cat <<<a\necho $((1<<2))\n# b\n", want{code: 2, comment: 1}},
		"an interpreter names the language":  {"dev", "#!/usr/bin/env bash\n# a\nb\n", want{code: 1, comment: 2}},
		"functions are found in both writings": {
			"a.sh", "a() {\n  echo ${b}\n}\nfunction my-c {\n  d\n  e '}'\n}\n", want{7, 0, 0, "my-c:4:4"},
		},
	})
}

func TestYAML(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"a hash needs white space before it":  {"a.yaml", "a: b#c # d\n# e\n", want{code: 1, comment: 1}},
		"a hash in a string is text":          {"a.yml", "a: \"\n # b\"\nc: 'it''s\n # d'\n# e\n", want{code: 4, comment: 1}},
		"an apostrophe in a word is no quote": {"a.yaml", "a: it's\n# b's\n", want{code: 1, comment: 1}},
		"a block of text holds no comments":   {"a.yaml", "a: |-\n  # b\n\n  c\nd: 1 # e\n# f\n", want{code: 4, comment: 1, blank: 1}},
		"a block ends where its entry's column does": {
			"a.yaml", "- a: >\n    # b\n  c: d\n  # e\n- |\n # f\n# g\n", want{code: 5, comment: 2},
		},
	})
}

func TestMarkdownProtobufAndWAT(t *testing.T) {
	t.Parallel()
	check(t, map[string]example{
		"prose is code, an HTML comment is not":     {"a.md", "# a\n\n<!-- b\nc -->\nd <!-- e -->\n", want{code: 2, comment: 2, blank: 1}},
		"marks in code spans and fences are text":   {"a.md", "`<!--` a ``<!-- ` ``\n~~~\n<!--\n~~~\n<!-- b -->\n", want{code: 4, comment: 1}},
		"a lone backtick is a backtick":             {"a.md", "a ` b\n<!-- c -->\n", want{code: 1, comment: 1}},
		"protobuf has both kinds of comment":        {"a.proto", "// a\n/* b */\nstring c = 1; // d\noption e = '//';\n", want{code: 2, comment: 2}},
		"WAT comments nest, and strings hold marks": {"a.wat", ";; a\n(; b (; c ;) d ;)\n(data \"(;\\\"\")\n", want{code: 1, comment: 2}},
		"WAT functions are those that a module defines": {
			"a.wat", "(module\n (import \"a\" \"b\"\n  (func $x\n   (param i32)\n   (param i32)))\n (func $run (export \"_start\")\n  nop\n ) (func))\n",
			want{8, 0, 0, "$run:6:3"},
		},
	})
}

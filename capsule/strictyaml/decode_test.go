package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/strictyaml"
)

type document struct {
	Name     string              `yaml:"name"`
	Count    int                 `yaml:"count"`
	Small    int8                `yaml:"small"`
	Ratio    float64             `yaml:"ratio"`
	On       bool                `yaml:"on"`
	List     []string            `yaml:"list"`
	Items    []item              `yaml:"items"`
	Map      map[string]string   `yaml:"map"`
	Optional *item               `yaml:"optional"`
	Every    strictyaml.Duration `yaml:"every"`
	Size     strictyaml.Size     `yaml:"size"`
	Open     any                 `yaml:"open"`
}

type item struct {
	ID string `yaml:"id"`
}

// faults decodes a text and returns what is wrong as text without the file's name.
func faults(t *testing.T, text string) []string {
	t.Helper()
	var into document
	lines := []string{}
	for _, fault := range strictyaml.Decode("f", []byte(text), &into) {
		lines = append(lines, strings.TrimPrefix(fault.Error(), "f:"))
	}
	return lines
}

func TestEveryKindOfValueIsBound(t *testing.T) {
	t.Parallel()
	text := `
name: "0.1"
count: -12
small: 127
ratio: 1.5
on: true
list: [a, "b", 'c']
items:
  - id: first
  - {id: second}
map: {k: v, "quoted key": w}
optional: {id: x}
every: 1d12h
size: 64Mi
open: {anything: [1, {goes: true}]}
`
	var into document
	require.Empty(t, strictyaml.Decode("f", []byte(text), &into))
	assert.Equal(t, document{
		Name: "0.1", Count: -12, Small: 127, Ratio: 1.5, On: true, List: []string{"a", "b", "c"},
		Items: []item{{"first"}, {"second"}}, Map: map[string]string{"k": "v", "quoted key": "w"}, Optional: &item{"x"},
		Every: strictyaml.Duration(36 * time.Hour), Size: 64 << 20,
	}, into)
}

func TestWhatIsNotWrittenKeepsItsDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing but a remark\n", "---\n", "list:\nitems:\nmap:\n", "\uFEFFcount: 7\n", "null\n"} {
		into := document{Name: "default", Count: 7}
		require.Empty(t, strictyaml.Decode("f", []byte(text), &into), "%q", text)
		assert.Equal(t, "default", into.Name)
		assert.Equal(t, 7, into.Count)
	}
}

func TestTextOverSeveralLinesIsJoinedAsYAMLSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name: |\n  a\n  b\n":  "a\nb\n",
		"name: >-\n  a\n  b\n": "a b",
		"name: 'a\n  b'\n":     "a b",
		"name: \"a\\nb\"\n":    "a\nb",
	} {
		var into document
		require.Empty(t, strictyaml.Decode("f", []byte(text), &into), "%q", text)
		assert.Equal(t, want, into.Name)
	}
}

func TestEverythingThatIsWrongIsReportedAtOnceInFileOrder(t *testing.T) {
	t.Parallel()
	text := `name: 0.1
unknown: 1
count: many
list: text
items:
  - id: 5
    typo: x
  - text
count: 2
map: [a]
on: yes
every: soon
size: -1
open:
  twice: 1
  twice: 2
`
	assert.Equal(t, []string{
		`1:7: name: this must be a text (quote it), not a number (wrong_type)`,
		`2:1: unknown: unknown key; known here are count, every, items, list, map, name, on, open, optional, ratio, size, small (unknown_key)`,
		`3:8: count: this must be a whole number, not a text (wrong_type)`,
		`4:7: list: this must be a list, not a text (wrong_type)`,
		`6:9: items[0].id: this must be a text (quote it), not a number (wrong_type)`,
		`7:5: items[0].typo: unknown key; known here are id (unknown_key)`,
		`8:5: items[1]: this must be a mapping of keys to values, not a text (wrong_type)`,
		`9:1: count: this key stands on line 3 already (duplicate_key)`,
		`10:6: map: this must be a mapping of keys to values, not a list (wrong_type)`,
		`11:5: on: this must be true or false, not a text (wrong_type)`,
		`12:8: every: "soon" is not a duration: write it like "10s", "1h30m" or "7d" (bad_value)`,
		`13:7: size: "-1" is not a size: it must not be negative (bad_value)`,
		`16:3: open.twice: this key stands on line 15 already (duplicate_key)`,
	}, faults(t, text))
}

func TestValuesOfAnotherTypeAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name:":                        "1:7: name: this must be a text (quote it), not nothing (wrong_type)",
		"name: true":                   "1:7: name: this must be a text (quote it), not true or false (wrong_type)",
		"name: [a]":                    "1:7: name: this must be a text (quote it), not a list (wrong_type)",
		"count: 1.5":                   "1:8: count: this must be a whole number, not a number (wrong_type)",
		"count: \"5\"":                 "1:8: count: this must be a whole number, not a text (wrong_type)",
		"count: 99999999999999999999":  "1:8: count: this number is out of range (bad_value)",
		"count: -99999999999999999999": "1:8: count: this number is out of range (bad_value)",
		"count: 18446744073709551615":  "1:8: count: this number is out of range (bad_value)",
		"small: 128":                   "1:8: small: this number is out of range (bad_value)",
		"ratio: .inf":                  "1:8: ratio: this must be a number, not infinity or no number (wrong_type)",
		"list: [1]":                    "1:8: list[0]: this must be a text (quote it), not a number (wrong_type)",
		"every: {a: b}":                "1:8: every: this must be one value, not a mapping (wrong_type)",
		"1: a":                         "1:1: a key must be a plain word or a quoted text, not a number (wrong_type)",
		"[a, b]":                       "1:1: this must be a mapping of keys to values, not a list (wrong_type)",
		"just text":                    "1:1: this must be a mapping of keys to values, not a text (wrong_type)",
		"name: !!str 1":                "1:7: name: tags are not supported (syntax)",
		"open: {a: !danger x}":         "1:11: open.a: tags are not supported (syntax)",
		"map:\n  <<: {a: b}":           "2:3: map: merge keys are not supported (syntax)",
		"name: *nowhere":               `1:7: name: no anchor "nowhere" stands above (syntax)`,
		"name: *x\nopen: &x a":         `1:7: name: no anchor "x" stands above (syntax)`,
		"open: &x [*x]":                `1:11: open[0]: alias "x" refers to itself (syntax)`,
		"open: {a: &x {b: {c: [*x]}}}": `1:23: open.a.b.c[0]: alias "x" refers to itself (syntax)`,
		"optional: {id: a, no: b}":     "1:19: optional.no: unknown key; known here are id (unknown_key)",
	} {
		assert.Equal(t, []string{want}, faults(t, text), "%q", text)
	}
}

func TestADocumentThatCannotBeReadHasOneFaultWithItsPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name: [a":                          "1:7: not valid YAML",
		"a: b: c":                           "1:4: not valid YAML",
		"\tname: a":                         "1:5: not valid YAML",
		"name: a\n---\nname: b\n":           "3:1: a second document begins here, one is read",
		"%YAML 1.2\n---\nname: a":           "1:1: directives are not supported",
		"name: \"a\nb\xff\"":                "2:2: this byte is not UTF-8",
		"name: " + strings.Repeat("[", 65):  "1:71: brackets nest deeper than 64",
		strings.Repeat("name: a\n", 20_000): "15001:1: the document has more than 45000 words and signs",
		strings.Repeat("#", 1<<20+1):        "1:1: the document has 1048577 bytes, at most 1048576 are read",
	} {
		found := faults(t, text)
		require.Len(t, found, 1, "%.40q", text)
		assert.True(t, strings.HasPrefix(found[0], want), found[0])
	}
}

func TestAliasesStandForWhatTheyName(t *testing.T) {
	t.Parallel()
	var into document
	require.Empty(t, strictyaml.Decode("f", []byte("name: &n hello\nlist: &l [*n, *n]\nopen: *l\noptional: {id: *n}\n"), &into))
	assert.Equal(t, "hello", into.Name)
	assert.Equal(t, []string{"hello", "hello"}, into.List)
	assert.Equal(t, "hello", into.Optional.ID)
}

func TestAliasesThatExplodeAreStoppedWithOneFault(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("open:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&bomb, "  a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 10))
	}
	began := time.Now()
	found := faults(t, bomb.String())
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "aliases stand for more than 50000 values (too_large)")
	assert.Less(t, time.Since(began), 5*time.Second)
}

func TestValuesThatNestTooDeepAreRefusedWithOneFault(t *testing.T) {
	t.Parallel()
	var deep strings.Builder
	deep.WriteString("open:\n")
	for level := range 70 {
		deep.WriteString(strings.Repeat(" ", level+1) + "a:\n")
	}
	chain := "open:\n- &a0 [x]\n"
	for i := range 70 {
		chain += fmt.Sprintf("- &a%d [*a%d]\n", i+1, i)
	}
	for _, text := range []string{deep.String(), chain} {
		found := faults(t, text)
		require.Len(t, found, 1)
		assert.Contains(t, found[0], "values nest deeper than 64 (too_large)")
	}
}

func TestFaultsAreNoErrorWhenThereAreNone(t *testing.T) {
	t.Parallel()
	assert.NoError(t, strictyaml.Faults(nil).Err())
	late := strictyaml.Fault{File: "f", Line: 9, Column: 1, Message: "late", Code: "c"}
	early := strictyaml.Fault{File: "f", Line: 2, Column: 5, Field: "x", Message: "early", Code: "c"}
	assert.EqualError(t, strictyaml.Faults{late, early}.Err(), "f:2:5: x: early (c)\nf:9:1: late (c)")
}

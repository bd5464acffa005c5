package strictyaml_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/strictyaml"
)

const placed = `a:
  b:
    - x
    - c: {d: y}
e: &f
  g: 1
h: *f
"i": "j"
`

func TestAPathIsLocatedAtItsValueOrItsKey(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]int{
		"$.a.b[0]":       {3, 7},
		"a.b[1].c.d":     {4, 14},
		"a.b[1].c":       {4, 7},
		"a.b":            {2, 3},
		"$.a":            {1, 1},
		"e.g":            {6, 6},
		"i":              {8, 6},
		"a.b[1].missing": {4, 7},
		"a.missing.x[3]": {1, 1},
		"missing":        {1, 1},
		"$":              {1, 1},
		"":               {1, 1},
	} {
		line, column := strictyaml.Locate([]byte(placed), path)
		assert.Equal(t, want, [2]int{line, column}, path)
	}
	line, column := strictyaml.Locate([]byte("[a"), "a")
	assert.Equal(t, [2]int{1, 1}, [2]int{line, column}, "a document that cannot be read has no places")
}

func TestKeysAreListedInFileOrderWithThoseThatAliasesStandFor(t *testing.T) {
	t.Parallel()
	document, faults := strictyaml.Parse("f", []byte(placed))
	require.Empty(t, faults)
	assert.Equal(t, []strictyaml.Key{
		{Path: "a", Line: 1, Column: 1},
		{Path: "a.b", Line: 2, Column: 3},
		{Path: "a.b[1].c", Line: 4, Column: 7},
		{Path: "a.b[1].c.d", Value: "y", Line: 4, Column: 11},
		{Path: "e", Line: 5, Column: 1},
		{Path: "e.g", Value: "1", Line: 6, Column: 3},
		{Path: "h", Line: 7, Column: 1},
		{Path: "h.g", Value: "1", Line: 6, Column: 3},
		{Path: "i", Value: "j", Line: 8, Column: 1},
	}, document.Keys())
}

func TestKeysEndWhereAliasesExplode(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a: &x {b: *x}", "a: &x [*x, *x]\nb: 1", "a: &x\n  b: &y\n    c: [*x, *y]\n"} {
		document, faults := strictyaml.Parse("f", []byte(text))
		require.Empty(t, faults)
		assert.Less(t, len(document.Keys()), 50_001)
	}
}

func TestAFaultOfTheReadersOwnHasItsPlace(t *testing.T) {
	t.Parallel()
	document, faults := strictyaml.Parse("f", []byte(placed))
	require.Empty(t, faults)
	assert.EqualError(t, document.Fault("$.a.b[0]", "own", "%q is refused", "x"), `f:3:7: a.b[0]: "x" is refused (own)`)
}

package strictyaml_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"rookery/capsule/strictyaml"
)

func FuzzAnyDocumentIsReadOrRefusedWithAPlace(f *testing.F) {
	for _, seed := range []string{
		placed, "name: a\ncount: 1\n", "a: &x [*x]", "? a\n: b", "a: !!t b", "{a: [b, {c: d}]}", "a: |\n  b", "---\n...\n---", "%YAML 1.2", "\"\\ud800\"", "<<: *a", "- - - a", "a: 'b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var into document
		for _, fault := range strictyaml.Decode("f", data, &into) {
			assert.Positive(t, fault.Line)
			assert.Positive(t, fault.Column)
			assert.NotEmpty(t, fault.Code)
			assert.NotEmpty(t, fault.Message)
		}
		if read, faults := strictyaml.Parse("f", data); len(faults) == 0 {
			for _, key := range read.Keys() {
				line, column := read.Locate(key.Path)
				assert.Positive(t, line)
				assert.Positive(t, column)
			}
		}
	})
}

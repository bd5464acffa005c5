package pack_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/internal/tempdir"
	"rookery/capsule/pack"
)

// command is a module whose _start does nothing.
const command = module + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x07\x0a\x01\x06_start\x00\x00" + "\x0a\x04\x01\x02\x00\x0b"

func checked(t *testing.T, text string) error {
	t.Helper()
	dir := filepath.Join(tempdir.New(t), "a")
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("a"), "a.wasm": text})
	p, err := pack.Open(dir)
	require.NoError(t, err)
	return p.CheckStart()
}

func TestAModuleThatCannotStartIsToldFromItsSections(t *testing.T) {
	t.Parallel()
	assert.NoError(t, checked(t, command))
	assert.NoError(t, checked(t, module+"\x07\x11\x02\x04name\x02\x00\x06_start\x00\x01"), "behind another export")
	for name, c := range map[string]struct{ text, want string }{
		"nothing in it":                 {module, "no function _start"},
		"another export":                {module + "\x07\x0a\x01\x06_begin\x00\x00", "no function _start"},
		"a memory called _start":        {module + "\x07\x0a\x01\x06_start\x02\x00", "no function _start"},
		"cut in the last section":       {command[:len(command)-1], "ends in the middle"},
		"cut in the exports":            {command[:len(module)+6+4+7], "ends in the middle"},
		"cut behind a section's number": {command + "\x0b", "ends in the middle"},
		"a size above 32 bits":          {module + "\x01\xff\xff\xff\xff\x7f", "above 32 bits"},
		"more exports than bytes":       {module + "\x07\x05\xff\xff\xff\xff\x0f", "ends in the middle"},
	} {
		err := checked(t, c.text)
		if assert.ErrorContains(t, err, c.want, name) {
			assert.ErrorContains(t, err, "a.wasm", name)
			assert.ErrorContains(t, err, pack.CodeModule, name)
		}
	}
}

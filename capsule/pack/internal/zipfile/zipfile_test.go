package zipfile_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/pack/internal/zipfile"
)

// readAll opens an archive and reads every entry to its end.
func readAll(data []byte) (map[string]string, *zipfile.Archive, error) {
	archive, err := zipfile.Read(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	contents := map[string]string{}
	for _, entry := range archive.Entries {
		content, err := io.ReadAll(archive.Open(entry))
		if err != nil {
			return nil, nil, err
		}
		contents[entry.Name] = string(content)
	}
	return contents, archive, nil
}

func TestAnHonestArchiveIsRead(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]forged{
		"stored":                            {{name: "a", content: "text"}, {name: "b/c", content: ""}},
		"deflated":                          {{name: "a", content: "text", method: 8}, {name: "b/c", method: 8}},
		"with descriptors":                  {{name: "a", content: "text", method: 8, descriptor: 16}, {name: "b/c", method: 8, descriptor: 12}},
		"with modes":                        {{name: "a", content: "text", mode: 0o100755}, {name: "b/c", mode: 0o100600}},
		"with times and names in UTF-8":     {{name: "a", content: "text", flags: 1 << 11, extra: []byte("UT\x01\x00x")}, {name: "b/c"}},
		"as hard to deflate as can be said": {{name: "a", content: "text", method: 8, flags: 6}, {name: "b/c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contents, archive, err := readAll(forge(entries))
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"a": "text", "b/c": ""}, contents)
			assert.Empty(t, archive.Outside)
			assert.NotNil(t, archive.Find("a"))
			assert.Nil(t, archive.Find("A"))
			assert.Nil(t, archive.Find("b"))
		})
	}
}

func TestFoldersAreNoFiles(t *testing.T) {
	t.Parallel()
	contents, archive, err := readAll(forge([]forged{{name: "b/", mode: 0o040755}, {name: "b/c", content: "x"}}))
	require.NoError(t, err)
	assert.Len(t, contents, 2)
	assert.Nil(t, archive.Find("b/"))
}

func TestWhatOtherToolsWriteIsRead(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	require.NoError(t, w.AddFS(fixture))
	require.NoError(t, w.Close())
	contents, _, err := readAll(out.Bytes())
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("line\n", 1000), contents["long.txt"])
	assert.Equal(t, "x", contents["sub/ü.txt"])
}

func TestEntriesOutsideAreTreatedAsAbsent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/a", "/etc/passwd", "../a", "b/../../a", "b/..", "//a", "../"} {
		contents, archive, err := readAll(forge([]forged{{name: "ok", content: "x"}, {name: name}}))
		require.NoError(t, err, name)
		assert.Equal(t, map[string]string{"ok": "x"}, contents)
		assert.Equal(t, []string{name}, archive.Outside)
	}
}

func TestNamesThatAreOneNameSomewhereAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a/b", "A/b", "a/B", "/a/b", "x/../a/b", "../a/b", "a/b/"} {
		_, _, err := readAll(forge([]forged{{name: "a/b"}, {name: name}}))
		assert.ErrorContains(t, err, "have one name", name)
	}
}

func TestHostileArchivesAreRefusedWithOneSentence(t *testing.T) {
	t.Parallel()
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(c.data)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAnArchiveCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	whole := forge([]forged{{name: "a", content: "text", method: 8, descriptor: 16}, {name: "b", content: "stored"}})
	for n := range whole {
		_, _, err := readAll(whole[:n])
		require.Error(t, err, "cut at %d of %d", n, len(whole))
	}
}

// A byte that can be changed unseen would be one that means nothing; those that do
// are the times, versions and attributes that no reader here looks at.
func TestNoContentNameOrSizeChangesUnseen(t *testing.T) {
	t.Parallel()
	whole := forge([]forged{{name: "a", content: "text", method: 8, descriptor: 16}, {name: "b", content: "stored"}})
	want, _, err := readAll(whole)
	require.NoError(t, err)
	for i := range whole {
		for bit := range 8 {
			changed := bytes.Clone(whole)
			changed[i] ^= 1 << bit
			if got, _, err := readAll(changed); err == nil {
				require.Equal(t, want, got, "byte %d bit %d", i, bit)
			}
		}
	}
}

func TestABombIsStoppedAtItsSize(t *testing.T) {
	t.Parallel()
	// 16 MiB of zeros that claim to be 1,000 bytes, in every place where that is said.
	bomb := forge([]forged{{name: "bomb", content: strings.Repeat("\x00", 16<<20), method: 8, size: to(1000)}})
	archive, err := zipfile.Read(bytes.NewReader(bomb))
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, archive.Open(archive.Find("bomb")))
	require.ErrorContains(t, err, "more than its size")
	assert.EqualValues(t, 1000, n)
}

func TestAReaderThatFailedStaysFailed(t *testing.T) {
	t.Parallel()
	archive, err := zipfile.Read(bytes.NewReader(forge([]forged{{name: "a", content: "text", sum: to(1)}})))
	require.NoError(t, err)
	r := archive.Open(archive.Find("a"))
	_, first := io.ReadAll(r)
	require.ErrorContains(t, first, "checksum")
	_, again := io.ReadAll(r)
	assert.Equal(t, first, again)
}

func FuzzWhatIsReadIsWhatTheStandardReaderReads(f *testing.F) {
	f.Add(forge([]forged{{name: "a", content: "text", method: 8, descriptor: 16}, {name: "b/", mode: 0o040755}, {name: "b/c", content: "x"}}))
	for _, c := range hostile() {
		if len(c.data) < 1<<16 {
			f.Add(c.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, archive, err := readAll(data)
		if err != nil {
			return
		}
		other, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err, "the standard reader refuses what we read")
		require.Len(t, other.File, len(archive.Entries)+len(archive.Outside))
		for _, file := range other.File {
			if want, ours := got[file.Name]; ours {
				opened, err := file.Open()
				require.NoError(t, err)
				content, err := io.ReadAll(opened)
				require.NoError(t, err)
				require.Equal(t, want, string(content), file.Name)
			} else {
				require.Contains(t, archive.Outside, file.Name)
			}
		}
	})
}

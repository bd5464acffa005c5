package ops_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
)

func bare(t *testing.T) *rig {
	t.Helper()
	return newRig(t, assignment(), hosttest.Answers{})
}

// kept is the task's artifacts file, its times taken out.
func (r *rig) kept() string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.records.Name(), "out/artifacts_tsk_1.jsonl"))
	require.NoError(r.t, err)
	var all []string
	for line := range strings.Lines(string(data)) {
		head, tail, found := strings.Cut(line, `,"at_ms":`)
		require.True(r.t, found, line)
		require.Regexp(r.t, `^\d{13}}\n$`, tail)
		all = append(all, head)
	}
	return strings.Join(all, "\n")
}

// text is what the artifacts make of an answer, once the guest has ended.
func (r *rig) text() string {
	r.t.Helper()
	text, err := r.pieces.Text()
	require.NoError(r.t, err)
	require.NoError(r.t, r.pieces.Close())
	return string(text)
}

func (r *rig) gives(request string) {
	r.t.Helper()
	require.Contains(r.t, r.ask("artifact", request), `{"ok":{"artifact_id":`)
}

func TestPartsOfEveryKindAreKeptInTheRecord(t *testing.T) {
	t.Parallel()
	r := bare(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.work, "report.csv"), []byte("a,b\n"), 0o600))
	assert.Equal(t, `{"ok":{"artifact_id":"artifact-1"}}`, r.ask("artifact",
		`{"name":"report","parts":[{"text":"<one>","media_type":"text/plain"},{"data":{"n":[1]}},{"data":null},{"url":"https://x.example/y"},`+
			`{"file":"report.csv","filename":"r.csv"}],"last":true}`))
	assert.Equal(t, `{"artifact_id":"artifact-1","name":"report","last":true,"parts":[{"text":"<one>","media_type":"text/plain"},{"data":{"n":[1]}},`+
		`{"data":null},{"url":"https://x.example/y"},`+
		`{"file":{"path":"report.csv","bytes":4,"sha256":"`+fmt.Sprintf("%x", sha256.Sum256([]byte("a,b\n")))+`"},"filename":"r.csv"}]`, r.kept())
	assert.Contains(t, r.traced(), `"task_id":"tsk_1","artifact_id":"artifact-1","name":"report","parts":5,`)
	assert.Equal(t, "<one>", r.text())
}

func TestTheTextOfArtifactsIsAnAnswer(t *testing.T) {
	t.Parallel()
	r := bare(t)
	r.gives(`{"artifact_id":"a","parts":[{"text":"one "},{"data":1},{"text":"two"}]}`)
	r.gives(`{"artifact_id":"b","parts":[{"text":"a draft"}]}`)
	r.gives(`{"artifact_id":"a","append":true,"parts":[{"text":", three\n"}]}`)
	r.gives(`{"artifact_id":"b","parts":[{"text":"the second"}]}`)
	r.gives(`{"artifact_id":"c","parts":[{"data":{}}]}`)
	r.gives(`{"parts":[{"text":"the third"}],"last":true}`)
	assert.Equal(t, "one two, three\nthe second\nthe third", r.text())
}

func TestWithoutArtifactsThereIsNoFileAndNoText(t *testing.T) {
	t.Parallel()
	r := bare(t)
	assert.Empty(t, r.text())
	assert.NoDirExists(t, filepath.Join(r.records.Name(), "out"))
}

func TestArtifactsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ request, want string }{
		"without parts":               {`{"parts":[]}`, `"bad_request","message":"field \"parts\" must have 1 to 64 items"`},
		"a part of nothing":           {`{"parts":[{"text":"t"},{}]}`, `"bad_request","message":"exactly one of \"text\", \"data\", \"url\" and \"file\" must be in parts[1]"`},
		"a part of two kinds":         {`{"parts":[{"text":"t","data":null}]}`, `"bad_request","message":"exactly one of`},
		"a part of an unknown kind":   {`{"parts":[{"raw":"AA=="}]}`, `"bad_request","message":"unknown field \"parts[0].raw\""`},
		"a url that is relative":      {`{"parts":[{"url":"x/y"}]}`, `"bad_request","message":"field \"parts[0].url\" must be an absolute URL"`},
		"a file that is not there":    {`{"parts":[{"file":"none"}]}`, `"not_found","message":"no file \"none\" in the work folder"`},
		"a file outside":              {`{"parts":[{"file":"../x"}]}`, `"bad_request","message":"field \"file\": open ../x: not a plain relative path"`},
		"a folder":                    {`{"parts":[{"file":"d"}]}`, `"bad_request","message":"field \"file\": `},
		"a pipe":                      {`{"parts":[{"file":"pipe"}]}`, `"bad_request","message":"field \"file\": `},
		"a link":                      {`{"parts":[{"file":"link"}]}`, `"bad_request","message":"field \"file\": `},
		"a file over the limit":       {`{"parts":[{"file":"large"}]}`, `"too_large","message":"file \"large\" is larger than the limit of 67108864 bytes","data":{"limit":67108864,"value":67108865}`},
		"appended to nothing":         {`{"artifact_id":"x","append":true,"parts":[{"text":"t"}]}`, `"bad_request","message":"there is no artifact \"x\" to append to"`},
		"appended to nobody":          {`{"append":true,"parts":[{"text":"t"}]}`, `"bad_request","message":"field \"append\" needs an \"artifact_id\""`},
		"appended after the last one": {`{"artifact_id":"done","append":true,"parts":[{"text":"t"}]}`, `"bad_request","message":"artifact \"done\" has had its last piece"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bare(t)
			require.NoError(t, os.Mkdir(filepath.Join(r.work, "d"), 0o700))
			require.NoError(t, unix.Mkfifo(filepath.Join(r.work, "pipe"), 0o600))
			require.NoError(t, os.Symlink("d", filepath.Join(r.work, "link")))
			require.NoError(t, os.WriteFile(filepath.Join(r.work, "large"), nil, 0o600))
			require.NoError(t, os.Truncate(filepath.Join(r.work, "large"), 64<<20+1))
			r.gives(`{"artifact_id":"done","parts":[{"text":"kept"}],"last":true}`)
			assert.Contains(t, r.ask("artifact", c.request), `{"error":{"code":`+c.want)
			assert.Equal(t, "kept", r.text(), "a refused one leaves nothing")
		})
	}
}

func TestArtifactsAreBoundedInNumberAndInBytes(t *testing.T) {
	t.Parallel()
	r := bare(t)
	for i := range 1024 {
		r.gives(fmt.Sprintf(`{"artifact_id":"%d","parts":[{"data":1}]}`, i))
	}
	assert.Contains(t, r.ask("artifact", `{"parts":[{"data":1}]}`), `"too_large","message":"a task gives away at most 1024 artifacts","data":{"limit":1024,`)
	assert.LessOrEqual(t, strings.Count(r.traced(), `"event_type":"artifact"`), 30, "the trace has its own bound")
	piece := `{"artifact_id":"0","append":true,"parts":[{"text":"` + strings.Repeat("x", 1<<20-100) + `"}]}`
	refused := ""
	for range 65 {
		if refused = r.ask("artifact", piece); strings.Contains(refused, `"error"`) {
			break
		}
	}
	assert.Contains(t, refused, `"too_large","message":"a task's artifacts have at most 67108864 bytes","data":{"limit":67108864,`)
	info, err := os.Stat(filepath.Join(r.records.Name(), "out/artifacts_tsk_1.jsonl"))
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(64<<20))
}

func TestFinishSaysOnceHowTheTaskEnds(t *testing.T) {
	t.Parallel()
	r := bare(t)
	_, finished := r.Finished()
	assert.False(t, finished)
	r.gives(`{"parts":[{"text":"an artifact"}]}`)
	assert.Equal(t, `{"ok":{}}`, r.ask("finish", `{"state":"rejected","parts":[{"text":"not"},{"data":1},{"text":"mine"}]}`))
	f, finished := r.Finished()
	assert.True(t, finished)
	assert.Equal(t, live.Rejected, f.State)
	assert.Equal(t, "not\nmine", f.Text)
	const refused = `{"error":{"code":"bad_request","message":"the task is finished"}}`
	assert.Equal(t, refused, r.ask("finish", `{"state":"completed"}`))
	assert.Equal(t, refused, r.ask("artifact", `{"parts":[{"text":"t"}]}`))
	assert.Equal(t, refused, r.ask("request-input", `{"prompt":"p"}`))
	assert.Equal(t, refused, r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t"}`))
	assert.Equal(t, `{"ok":{}}`, r.ask("log", `{"level":"info","message":"m"}`), "looking and telling go on")
	assert.Contains(t, r.kept(), `{"state":"rejected","parts":[{"text":"not"},{"data":1},{"text":"mine"}]`)
	assert.Contains(t, r.traced(), `"task_id":"tsk_1","state":"rejected","parts":3`)
	assert.Equal(t, "an artifact", r.text(), "what finish says is no artifact")
}

func TestWaysToFinishThatAreNotBuiltYetSaySo(t *testing.T) {
	t.Parallel()
	r := bare(t)
	assert.Contains(t, r.ask("finish", `{"state":"input_required"}`), `"bad_request","message":"state \"input_required\" is not built yet`)
	assert.Contains(t, r.ask("finish", `{"state":"auth_required"}`), `"bad_request","message":"state \"auth_required\" is not built yet`)
	assert.Contains(t, r.ask("finish", `{"state":"completed","as_message":true}`), `"field \"as_message\": answering with a message is not built yet"`)
	assert.Contains(t, r.ask("finish", `{"state":"done"}`), `must be one of completed failed rejected input_required auth_required`)
	assert.Equal(t, `{"ok":{}}`, r.ask("finish", `{"state":"completed","as_message":false}`))
}

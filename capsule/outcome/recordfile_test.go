package outcome_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
	"rookery/capsule/outcome"
)

func TestARecordIsReadBackAndWhatIsAbsentIsLeftOut(t *testing.T) {
	t.Parallel()
	records := folder(t)
	_, found, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	assert.False(t, found, "no file is no record and no error")

	written := finished()
	written.Delivered = true
	require.NoError(t, outcome.WriteRecord(records, written))
	read, found, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, written, read)

	text, err := os.ReadFile(filepath.Join(records.Name(), outcome.CompletionFile))
	require.NoError(t, err)
	for _, key := range []string{"detail", "delivery_error", "null"} {
		assert.NotContains(t, string(text), key)
	}
}

func TestADelegationTheParentEndedIsRecordedByTheLauncherAndUndelivered(t *testing.T) {
	t.Parallel()
	records := folder(t)
	ended := finished()
	ended.Status, ended.ReportedBy, ended.Detail = outcome.Terminated, outcome.Launcher, "ended by the parent"
	require.NoError(t, outcome.WriteRecord(records, ended))
	read, found, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, ended, read)
	assert.False(t, read.Delivered)
	assert.Empty(t, read.DeliveryError)
}

func TestARecordWithAnUndeliverableReasonKeepsIt(t *testing.T) {
	t.Parallel()
	records := folder(t)
	record := finished()
	record.DeliveryError = "failed to connect to the parent"
	require.NoError(t, outcome.WriteRecord(records, record))
	read, _, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	assert.Equal(t, record.DeliveryError, read.DeliveryError)
}

func TestADetailIsBoundedWhenItIsWritten(t *testing.T) {
	t.Parallel()
	records := folder(t)
	record := finished()
	record.Status, record.Detail = outcome.Crashed, strings.Repeat("x", 5000)
	require.NoError(t, outcome.WriteRecord(records, record))
	read, _, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	assert.Len(t, read.Detail, 2000+len(" […]"))
}

func TestARecordTooLargeToBeReadBackIsNotWritten(t *testing.T) {
	t.Parallel()
	records := folder(t)
	record := finished()
	record.DeliveryError = strings.Repeat("x", 64<<10)
	require.ErrorContains(t, outcome.WriteRecord(records, record), "at most 65536")
	assert.Empty(t, names(t, records))
}

const valid = `{"delegation_id":"dlg_1","capsule_name":"w","capsule_version":"1","session_id":"ses_1","status":"ok","workdir":"/w","duration_ms":1,"reported_by":"child","delivered":false}`

func TestAFileThatIsNotAWholeValidRecordIsNoRecord(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                    "",
		"half a record":              valid[:60],
		"text":                       "ok",
		"a list":                     "[]",
		"null":                       "null",
		"an empty object":            "{}",
		"something behind it":        valid + "x",
		"bytes that are not UTF-8":   strings.Replace(valid, `"/w"`, "\"/w\xff\"", 1),
		"the status unknown":         strings.Replace(valid, `"ok"`, `"unknown"`, 1),
		"no status":                  strings.Replace(valid, `"status":"ok",`, "", 1),
		"a status in capitals":       strings.Replace(valid, `"ok"`, `"OK"`, 1),
		"another reporter":           strings.Replace(valid, `"child"`, `"parent"`, 1),
		"a duration below nothing":   strings.Replace(valid, `"duration_ms":1`, `"duration_ms":-1`, 1),
		"a duration that overflows":  strings.Replace(valid, `"duration_ms":1`, `"duration_ms":99999999999999999999`, 1),
		"no delegation":              strings.Replace(valid, `"dlg_1"`, `""`, 1),
		"no session":                 strings.Replace(valid, `"ses_1"`, `""`, 1),
		"no capsule":                 strings.Replace(valid, `"w"`, `""`, 1),
		"no version":                 strings.Replace(valid, `"capsule_version":"1"`, `"capsule_version":""`, 1),
		"no work folder":             strings.Replace(valid, `"/w"`, `""`, 1),
		"more bytes than any record": strings.Replace(valid, `"/w"`, `"`+strings.Repeat("w", 64<<10)+`"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotEqual(t, valid, text)
			records := folder(t)
			put(t, records, outcome.CompletionFile, text)
			read, found, err := outcome.ReadRecord(records)
			assert.Error(t, err, "the reason is told")
			assert.False(t, found)
			assert.Zero(t, read)
		})
	}
}

func TestALinkInTheRecordsPlaceIsNoRecordAndIsReplacedByAWrite(t *testing.T) {
	t.Parallel()
	records, outside := folder(t), folder(t)
	put(t, outside, "planted", valid)
	require.NoError(t, os.Symlink(filepath.Join(outside.Name(), "planted"), filepath.Join(records.Name(), outcome.CompletionFile)))
	_, found, err := outcome.ReadRecord(records)
	assert.False(t, found)
	require.ErrorIs(t, err, beneath.ErrLink)

	require.NoError(t, outcome.WriteRecord(records, finished()))
	read, found, err := outcome.ReadRecord(records)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, finished(), read)
	planted, err := os.ReadFile(filepath.Join(outside.Name(), "planted"))
	require.NoError(t, err)
	assert.Equal(t, valid, string(planted), "what the link led to is untouched")
}

func TestAPipeInTheRecordsPlaceIsNoRecordAndNobodyWaitsForIt(t *testing.T) {
	t.Parallel()
	records := folder(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(records.Name(), outcome.CompletionFile), 0o600))
	_, found, err := outcome.ReadRecord(records)
	assert.False(t, found)
	assert.ErrorIs(t, err, beneath.ErrNotRegular)
}

func TestARewriteIsNeverSeenHalfDone(t *testing.T) {
	t.Parallel()
	records := folder(t)
	record := finished()
	// Several pages, so that a write in place would show.
	record.DeliveryError = strings.Repeat("x", 48<<10)
	require.NoError(t, outcome.WriteRecord(records, record))

	const rewrites = 400
	done := make(chan error, 1)
	go func() {
		for turn := range rewrites {
			next := record
			next.Delivered = turn%2 == 0
			if err := outcome.WriteRecord(records, next); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	reads := 0
	for writing := true; writing; reads++ {
		select {
		case err := <-done:
			require.NoError(t, err)
			writing = false
		default:
		}
		read, found, err := outcome.ReadRecord(records)
		require.NoError(t, err, "after %d good reads", reads)
		require.True(t, found)
		require.Len(t, read.DeliveryError, 48<<10)
	}
	assert.Greater(t, reads, 1)
	assert.Equal(t, []string{outcome.CompletionFile}, names(t, records), "no temporary file is left")
}

func TestTheEndOfASessionIsReadBack(t *testing.T) {
	t.Parallel()
	records := folder(t)
	_, found, err := outcome.ReadEnd(records)
	require.NoError(t, err)
	assert.False(t, found)

	end := outcome.End{SessionID: "ses_1", TaskID: "tsk_1", Status: outcome.Error, Detail: "exit 3", DurationMS: 7}
	require.NoError(t, outcome.WriteEnd(records, end))
	read, found, err := outcome.ReadEnd(records)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, end, read)
	text, err := os.ReadFile(filepath.Join(records.Name(), outcome.EndFile))
	require.NoError(t, err)
	want := "{\n  \"session_id\": \"ses_1\",\n  \"task_id\": \"tsk_1\",\n  \"status\": \"error\",\n  \"detail\": \"exit 3\",\n  \"duration_ms\": 7\n}\n"
	assert.Equal(t, want, string(text))
}

func TestAFileThatIsNotTheEndOfASessionIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", `{"session_id":"s","status":"unknown"}`, `{"session_id":"","status":"ok"}`, `{"session_id":"s","status":"ok","duration_ms":-1}`} {
		records := folder(t)
		put(t, records, outcome.EndFile, text)
		_, found, err := outcome.ReadEnd(records)
		assert.Error(t, err, text)
		assert.False(t, found)
	}
}

func FuzzARecordThatCanBeReadIsWrittenAndReadTheSame(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte(strings.Replace(valid, `"delivered":false`, `"delivered":true,"detail":"é","extra":[1]`, 1)))
	f.Add([]byte("{}"))
	records, err := beneath.Open(tempdir.New(f))
	require.NoError(f, err)
	f.Cleanup(func() { records.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(records.Name(), outcome.CompletionFile), data, 0o600))
		first, found, err := outcome.ReadRecord(records)
		if !found {
			assert.Error(t, err)
			return
		}
		assert.True(t, first.Status.Recordable())
		require.NoError(t, outcome.WriteRecord(records, first))
		second, found, err := outcome.ReadRecord(records)
		require.NoError(t, err)
		require.True(t, found)
		assert.Equal(t, first.Bounded(), second)
	})
}

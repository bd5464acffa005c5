package outcome_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
)

func TestRecordsAndTextsAgreeWithTheVectors(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Outcome      outcome.Record `json:"outcome"`
		DetailBefore string         `json:"detail_before"`
		MessageText  string         `json:"message_text"`
		File         string         `json:"file"`
		Notice       string         `json:"notice"`
	}
	load(t, "outcome.json", &cases)
	require.NotEmpty(t, cases)
	for _, v := range cases {
		t.Run(v.Outcome.DelegationID, func(t *testing.T) {
			t.Parallel()
			record := v.Outcome
			record.Detail = v.DetailBefore
			records := folder(t)
			require.NoError(t, outcome.WriteRecord(records, record))
			written, err := os.ReadFile(filepath.Join(records.Name(), outcome.CompletionFile))
			require.NoError(t, err)
			assert.Equal(t, v.File, string(written))

			read, found, err := outcome.ReadRecord(records)
			require.NoError(t, err)
			require.True(t, found)
			assert.Equal(t, v.Outcome, read)
			assert.Equal(t, v.MessageText, read.MessageText())
			notice := outcome.Recorded(read, read.CapsuleName, read.CapsuleVersion, outcome.ResultBlock(outcome.NoAnswer("")))
			assert.Equal(t, v.Notice, outcome.Message([]outcome.Notice{notice}))
		})
	}
}

func TestCutsAgreeWithTheVectors(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Head, Unit, Tail string
		TotalBytes       int    `json:"total_bytes"`
		Truncated        bool   `json:"truncated"`
		KeptBytes        int    `json:"kept_bytes"`
		Suffix           string `json:"suffix"`
	}
	load(t, "answer_cut.json", &cases)
	require.NotEmpty(t, cases)
	for _, v := range cases {
		answer := v.Head
		for len(answer)+len(v.Unit)+len(v.Tail) <= v.TotalBytes {
			answer += strings.Repeat(v.Unit, max(1, (v.TotalBytes-len(answer)-len(v.Tail))/len(v.Unit)))
		}
		answer += strings.Repeat("a", v.TotalBytes-len(answer)-len(v.Tail)) + v.Tail
		require.Len(t, answer, v.TotalBytes)

		runtime := folder(t)
		handed := outcome.HandOver(answer, "dlg_00ab", runtime)
		assert.Equal(t, v.Truncated, handed.Truncated)
		assert.Equal(t, answer[:v.KeptBytes]+v.Suffix, handed.Text)
		if !v.Truncated {
			assert.Empty(t, handed.WholePath)
			assert.Empty(t, names(t, runtime), "nothing is kept of an answer that is whole")
			continue
		}
		kept, err := os.ReadFile(filepath.Join(runtime.Name(), handed.WholePath))
		require.NoError(t, err)
		assert.Equal(t, answer, string(kept))
	}
}

package proc_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/launcher/proc"
)

func TestStartTimeIsFoundBehindAnyName(t *testing.T) {
	t.Parallel()
	fields := make([]string, 50)
	for i := range fields {
		fields[i] = strconv.Itoa(i + 3) // the value is the field's number
	}
	rest := strings.Join(fields, " ") + "\n"
	for _, name := range []string{"worker", "a b", ")", "x) R 1 2 3", "((", "", "\n) S 4"} {
		started, err := proc.ParseStartTime([]byte("77 (" + name + ") " + rest))
		require.NoError(t, err, "name %q", name)
		assert.Equal(t, uint64(22), started, "name %q", name)
	}
	for _, bad := range []string{"", "77", "77 (worker)", "77 (worker) S 1 2", "77 (worker) " + strings.Repeat("x ", 40),
		"77 (worker) " + strings.Repeat("-1 ", 40)} {
		_, err := proc.ParseStartTime([]byte(bad))
		assert.Error(t, err, "%q", bad)
	}
}

func TestBootIDIsTheKernels(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)
	got, err := proc.BootID()
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSpace(string(want)), got)
	assert.Len(t, got, 36)
}

func FuzzStartTime(f *testing.F) {
	stat, err := os.ReadFile("/proc/self/stat")
	require.NoError(f, err)
	f.Add(stat)
	f.Add([]byte("1 (a) b) S 1 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 99 1 1"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		started, err := proc.ParseStartTime(stat)
		if err != nil {
			return
		}
		assert.True(t, bytes.Contains(stat, []byte(strconv.FormatUint(started, 10))), "a number that is not there")
	})
}

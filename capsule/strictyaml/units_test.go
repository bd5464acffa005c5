package strictyaml_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/strictyaml"
)

func TestDurationsAreReadInGosUnitsAndDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"10s": 10 * time.Second, "100ms": 100 * time.Millisecond, "1h30m": 90 * time.Minute, "0": 0, "0s": 0,
		"7d": 7 * 24 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "106751d": 106751 * 24 * time.Hour,
	} {
		var d strictyaml.Duration
		require.NoError(t, d.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, d.Std())
		assert.Equal(t, want.String(), d.String())
	}
}

func TestDurationsThatAreNegativeTooLongOrUnclearAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "10", "-1s", "s", "1x", "d", "-1d", "1.5d", "1d-1h", "1d 2h", "106752d", "106751d24h", "9999999999d", "2562048h", "1h1d", "७d"} {
		var d strictyaml.Duration
		assert.Error(t, d.UnmarshalText([]byte(text)), "%q", text)
		assert.Zero(t, d)
	}
}

func TestSizesAreReadInBytesAndBinaryUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "1048576": 1 << 20, "64Ki": 64 << 10, "64Mi": 64 << 20, "10Gi": 10 << 30, "9223372036854775807": math.MaxInt64, "8589934591Gi": 8589934591 << 30,
	} {
		var s strictyaml.Size
		require.NoError(t, s.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, int64(s))
		var again strictyaml.Size
		require.NoError(t, again.UnmarshalText([]byte(s.String())))
		assert.Equal(t, s, again)
	}
}

func TestSizesThatAreNegativeTooLargeOrUnclearAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Mi", "-1", "-1Mi", "1.5Mi", "1M", "1MB", "1 Mi", "+1", "0x10", "9223372036854775808", "8589934592Gi", "99999999999999999999"} {
		var s strictyaml.Size
		assert.Error(t, s.UnmarshalText([]byte(text)), "%q", text)
		assert.Zero(t, s)
	}
}

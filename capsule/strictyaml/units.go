package strictyaml

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time, written as Go writes one ("1m30s", "100ms") or in
// days ("7d", "1d12h"). A number without a unit is refused, but for 0.
type Duration time.Duration

// Std is the duration for package time.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes the duration as Go does.
func (d Duration) String() string { return time.Duration(d).String() }

const day = 24 * time.Hour

// UnmarshalText reads a duration. Negative ones and those over 292 years, the
// most that a time.Duration holds, are refused.
func (d *Duration) UnmarshalText(text []byte) error {
	refuse := func(why string) error {
		return fmt.Errorf("%.40q is not a duration: %s", text, why)
	}
	rest := string(text)
	if strings.HasPrefix(rest, "-") {
		return refuse("it must not be negative")
	}
	var whole time.Duration
	if days, after, found := strings.Cut(rest, "d"); found {
		count, err := strconv.ParseUint(days, 10, 63)
		if err != nil || count > uint64(math.MaxInt64/day) {
			return refuse("before the d there must be a whole number of days, at most 106751")
		}
		whole, rest = time.Duration(count)*day, after
	}
	var part time.Duration
	if rest != "" || whole == 0 && len(text) == 0 {
		var err error
		if part, err = time.ParseDuration(rest); err != nil || part < 0 {
			return refuse(`write it like "10s", "1h30m" or "7d"`)
		}
	}
	if part > math.MaxInt64-whole {
		return refuse("it is too long")
	}
	*d = Duration(whole + part)
	return nil
}

// Size is a number of bytes, written as a whole number or with Ki, Mi or Gi.
type Size int64

// units are the suffixes of a Size. A decimal K or M is refused because half of
// its readers would take it for the other one.
var units = []struct {
	suffix string
	bytes  uint64
}{{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}}

// UnmarshalText reads a size. Negative ones and those over 8 EiB are refused.
func (s *Size) UnmarshalText(text []byte) error {
	value, err := parseSize(string(text))
	if err != nil {
		return fmt.Errorf("%.40q is not a size: %w", text, err)
	}
	*s = Size(value)
	return nil
}

func parseSize(text string) (int64, error) {
	if strings.HasPrefix(text, "-") {
		return 0, errors.New("it must not be negative")
	}
	factor := uint64(1)
	for _, unit := range units {
		if digits, ok := strings.CutSuffix(text, unit.suffix); ok {
			text, factor = digits, unit.bytes
			break
		}
	}
	count, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && count > math.MaxInt64/factor:
		return 0, errors.New("it is too large")
	case err != nil:
		return 0, errors.New(`write it like 1048576, "64Mi" or "10Gi"`)
	}
	return int64(count * factor), nil
}

// String writes the size in the largest unit that divides it.
func (s Size) String() string {
	for i := len(units) - 1; i >= 0; i-- {
		if unit := int64(units[i].bytes); s >= Size(unit) && int64(s)%unit == 0 {
			return strconv.FormatInt(int64(s)/unit, 10) + units[i].suffix
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

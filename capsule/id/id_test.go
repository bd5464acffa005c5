package id_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
)

func TestAMintedIDIsItsPrefixAndAVersionSevenUUIDInHex(t *testing.T) {
	t.Parallel()
	for _, kind := range []id.Kind{id.Session, id.Task, id.Context, id.Delegation, id.Message, id.Request, id.Event} {
		minted := kind.New()
		assert.Regexp(t, "^"+string(kind)+"[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$", minted)
		assert.True(t, kind.Valid(minted))
	}
}

func TestDelegationIDsAreDistinctAndSortInTheOrderTheyWereMade(t *testing.T) {
	t.Parallel()
	minted := make([]string, 2000)
	for i := range minted {
		minted[i] = id.Delegation.New()
	}
	assert.True(t, slices.IsSorted(minted))
	assert.Len(t, slices.Compact(minted), 2000)
}

func TestIDsMintedAtOnceAreDistinct(t *testing.T) {
	t.Parallel()
	var minters sync.WaitGroup
	var minted sync.Map
	for range 8 {
		minters.Go(func() {
			for range 500 {
				_, seen := minted.LoadOrStore(id.Session.New(), true)
				assert.False(t, seen)
			}
		})
	}
	minters.Wait()
}

func TestOnlyThePrefixAndThirtyTwoLowerCaseHexDigitsAreValid(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0a", 16)
	assert.True(t, id.Delegation.Valid("dlg_"+digits))
	for _, wrong := range []string{
		"", "dlg_", digits, "ses_" + digits, "dlg_" + digits[1:], "dlg_" + digits + "0",
		"dlg_" + strings.ToUpper(digits), "DLG_" + digits, "dlg_../" + digits[3:], "dlg_" + digits[:31] + "\n", " dlg_" + digits,
	} {
		assert.False(t, id.Delegation.Valid(wrong), "%q", wrong)
	}
}

var some = []string{
	"ses_0190000000007000800000000000abcd",
	"ses_0190000000007000800000000001abcd",
	"dlg_019000000000700080000000000012ef",
}

func TestAShortenedIDNamesTheOneIDThatEndsLikeIt(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"0000abcd":               some[0],
		"1ABCD":                  some[1],
		"12ef":                   some[2],
		some[0]:                  some[0],
		strings.ToUpper(some[2]): some[2],
	} {
		found, err := id.Suffix(query, some)
		require.NoError(t, err, query)
		assert.Equal(t, want, found)
	}
}

func TestAShortenedIDIsRefusedWhenShortUnknownOrAmbiguous(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]error{
		"":         id.ErrShort,
		"2ef":      id.ErrShort,
		"ffff":     id.ErrNone,
		"0190":     id.ErrNone,
		"abcd":     id.ErrAmbiguous,
		"ses_0190": id.ErrNone,
	} {
		_, err := id.Suffix(query, some)
		assert.ErrorIs(t, err, want, query)
	}
}

func TestAWholeIDIsFoundThoughAnotherEndsLikeIt(t *testing.T) {
	t.Parallel()
	found, err := id.Suffix("abcd", []string{"xabcd", "abcd"})
	require.NoError(t, err)
	assert.Equal(t, "abcd", found)
}

func TestAnIDListedTwiceIsNotAmbiguous(t *testing.T) {
	t.Parallel()
	found, err := id.Suffix("12ef", []string{some[2], some[2]})
	require.NoError(t, err)
	assert.Equal(t, some[2], found)
}

func FuzzSuffixFindsOnlyWhatEndsLikeTheQuery(f *testing.F) {
	f.Add("12ef", "dlg_12ef", "ses_34")
	f.Add("", "", "")
	f.Add("ſabc", "Sabc", "sabc")
	f.Fuzz(func(t *testing.T, query, first, second string) {
		found, err := id.Suffix(query, []string{first, second})
		if err != nil {
			assert.Empty(t, found)
			return
		}
		assert.Contains(t, []string{first, second}, found)
		assert.True(t, strings.EqualFold(found, query) || strings.HasSuffix(strings.ToLower(found), strings.ToLower(query)))
	})
}

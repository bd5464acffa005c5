package id

import (
	"errors"
	"fmt"
	"strings"
)

// MinSuffix is the fewest characters a shortened id may have: four hex digits
// tell some hundred live ids apart and are still typed in one go.
const MinSuffix = 4

// Why a shortened id names nothing. Callers branch on them for their exit codes.
var (
	// ErrShort is returned for a shortened id of fewer than MinSuffix characters.
	ErrShort = errors.New("a shortened id needs at least 4 characters")
	// ErrNone is returned when no id ends in the query.
	ErrNone = errors.New("no such id")
	// ErrAmbiguous is returned when more than one id ends in the query.
	ErrAmbiguous = errors.New("more than one id ends like this")
)

// Suffix returns the one id in ids that query names: the whole id, or a suffix
// of it that no other id shares. Letter case is ignored. The errors wrap
// ErrShort, ErrNone or ErrAmbiguous.
func Suffix(query string, ids []string) (string, error) {
	for _, candidate := range ids {
		if query != "" && strings.EqualFold(candidate, query) {
			return candidate, nil
		}
	}
	if len(query) < MinSuffix {
		return "", fmt.Errorf("id %q: %w", query, ErrShort)
	}
	wanted, found := strings.ToLower(query), ""
	for _, candidate := range ids {
		if !strings.HasSuffix(strings.ToLower(candidate), wanted) || candidate == found {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("id %q: %w: %s and %s are two", query, ErrAmbiguous, found, candidate)
		}
		found = candidate
	}
	if found == "" {
		return "", fmt.Errorf("id %q: %w", query, ErrNone)
	}
	return found, nil
}

package operator

import (
	"encoding/base64"

	"google.golang.org/grpc/codes"
)

// defaultPage is how many rows a page holds when the caller does not say.
const defaultPage = 50

func pageSize(asked int32) int {
	if asked <= 0 {
		return defaultPage
	}
	return int(asked)
}

// A page token is the last id of the page before, so pages are stable however many rows come and go between them. It is opaque to
// callers.
func token(lastID string) string { return base64.RawURLEncoding.EncodeToString([]byte(lastID)) }

func after(pageToken string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(pageToken)
	if err != nil {
		return "", fault(codes.InvalidArgument, "INVALID_PAGE_TOKEN", "page_token is not one that this service gave out")
	}
	return string(raw), nil
}

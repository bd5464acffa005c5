package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"

	"rookery/capsule/beneath"
)

// part is one piece of an artifact or of an answer, as a guest sends it.
type part struct {
	Text      *string         `json:"text" doc:"Text."`
	Data      json.RawMessage `json:"data" doc:"Any JSON value."`
	URL       *string         `json:"url" rule:"min=1;max=8192" doc:"An absolute URL."`
	File      *string         `json:"file" rule:"min=1;max=4096" doc:"A regular file of the work folder, at most 64 MiB. Its length and SHA-256 are kept, the file stays where it is."`
	MediaType string          `json:"media_type" rule:"max=255"`
	Filename  string          `json:"filename" rule:"max=255"`
}

// keptPart is a part as records hold it and messages bring it.
type keptPart struct {
	Text      *string         `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	URL       *string         `json:"url,omitempty"`
	File      *keptFile       `json:"file,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Filename  string          `json:"filename,omitempty"`
}

// keptFile says which file was meant: one that is changed later is another file.
type keptFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// maxPartFile bounds a file that a part names, in bytes, as the answer's file is bounded.
const maxPartFile = 64 << 20

// keep checks parts and words them for the record.
func (c *Calls) keep(ctx context.Context, parts []part) ([]keptPart, error) {
	kept := make([]keptPart, len(parts))
	for i, p := range parts {
		k := keptPart{Text: p.Text, Data: p.Data, URL: p.URL, MediaType: p.MediaType, Filename: p.Filename}
		if p.set() != 1 {
			return nil, badRequest(`exactly one of "text", "data", "url" and "file" must be in parts[%d]`, i)
		}
		if p.URL != nil {
			if u, err := url.Parse(*p.URL); err != nil || u.Scheme == "" || u.Opaque == "" && u.Host == "" {
				return nil, badRequest(`field "parts[%d].url" must be an absolute URL`, i)
			}
		}
		if p.File != nil {
			file, err := c.weigh(ctx, *p.File)
			if err != nil {
				return nil, err
			}
			k.File = file
		}
		kept[i] = k
	}
	return kept, nil
}

func (p part) set() (n int) {
	for _, there := range []bool{p.Text != nil, p.Data != nil, p.URL != nil, p.File != nil} {
		if there {
			n++
		}
	}
	return n
}

// weigh measures a file beneath the work folder.
func (c *Calls) weigh(ctx context.Context, path string) (*keptFile, error) {
	file, err := c.work.OpenRegular(path)
	if err != nil {
		return nil, fileFault("file", path, err)
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(heeding{ctx, file}, maxPartFile+1))
	switch {
	case err != nil:
		return nil, fileFault("file", path, err)
	case n > maxPartFile:
		return nil, tooLarge(n, maxPartFile, "file %.200q is larger than the limit of %d bytes", path, maxPartFile)
	}
	return &keptFile{Path: path, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// heeding reads until its context ends.
type heeding struct {
	ctx context.Context //nolint:containedctx // of the one call that reads
	r   io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.r.Read(p)
}

// fileFault words the failure to read a file that a guest has named.
func fileFault(field, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &opError{Code: codeNotFound, Message: fmt.Sprintf("no file %.200q in the work folder", path)}
	case errors.Is(err, beneath.ErrName), errors.Is(err, beneath.ErrLink), errors.Is(err, beneath.ErrNotRegular):
		return badRequest("field %q: %w", field, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return canceled()
	}
	return &opError{Code: codeIO, Message: fmt.Sprintf("file %.200q cannot be read", path)}
}

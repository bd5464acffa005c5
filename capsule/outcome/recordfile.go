package outcome

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"rookery/capsule/beneath"
)

const (
	// CompletionFile is the record's name in the records folder of a delegated
	// session.
	CompletionFile = "completion.json"
	// maxRecordBytes bounds a record file. A real one has a few hundred bytes and
	// a bounded detail.
	maxRecordBytes = 64 << 10
	// recordMode lets only the host's user read records.
	recordMode = 0o600
)

// ReadRecord reads the record in a session's records folder. No file is no
// record and no error. A link, something that is not a regular file, more than
// 64 KiB, or content that is not a complete record is no record either, and the
// error says why.
func ReadRecord(records *beneath.Dir) (Record, bool, error) {
	data, found, err := readBounded(records, CompletionFile)
	if !found {
		return Record{}, false, err
	}
	record, err := parseRecord(data)
	if err != nil {
		return Record{}, false, fmt.Errorf("%s is not a record: %w", CompletionFile, err)
	}
	return record, true, nil
}

// WriteRecord replaces the record, its detail bounded, atomically and durably: a
// reader at the same time sees the old one or the new one.
func WriteRecord(records *beneath.Dir, r Record) error {
	return writeBounded(records, CompletionFile, r.Bounded())
}

func parseRecord(data []byte) (Record, error) {
	var record Record
	if err := unmarshal(data, &record); err != nil {
		return Record{}, err
	}
	for _, field := range []struct{ name, value string }{
		{"delegation_id", record.DelegationID},
		{"capsule_name", record.CapsuleName},
		{"capsule_version", record.CapsuleVersion},
		{"session_id", record.SessionID},
		{"workdir", record.Workdir},
	} {
		if field.value == "" {
			return Record{}, fmt.Errorf("%s is missing", field.name)
		}
	}
	switch {
	case !record.Status.Recordable():
		return Record{}, fmt.Errorf("status is %.40q", record.Status)
	case record.ReportedBy != Child && record.ReportedBy != Launcher:
		return Record{}, fmt.Errorf("reported_by is %.40q", record.ReportedBy)
	case record.DurationMS < 0:
		return Record{}, fmt.Errorf("duration_ms is %d", record.DurationMS)
	}
	return record, nil
}

func readBounded(records *beneath.Dir, name string) ([]byte, bool, error) {
	data, err := records.ReadRegular(name, maxRecordBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func writeBounded(records *beneath.Dir, name string, value any) error {
	data, err := marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxRecordBytes {
		return fmt.Errorf("%s: %d bytes, at most %d are read back", name, len(data), maxRecordBytes)
	}
	return records.WriteFile(name, data, recordMode)
}

func unmarshal(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("it is not the JSON of one: %w", err)
	}
	return nil
}

// marshal writes what other implementations write: two spaces, a final newline,
// and <, > and & as they are.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return out.Bytes(), err
}

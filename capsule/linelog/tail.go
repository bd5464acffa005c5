package linelog

import (
	"io"
	"os"
	"strings"
)

// Tail returns the last lines of a log file, at most lines of them and no more
// than maxBytes bytes, without their newlines. A line that does not fit whole is
// left out, unless it is the only one. Bytes that are not UTF-8 are replaced. A
// file that cannot be read has no lines: the caller is already reporting a
// failure and wants what is there.
func Tail(f *os.File, lines, maxBytes int) []string {
	info, err := f.Stat()
	if err != nil || lines <= 0 || maxBytes <= 0 {
		return nil
	}
	from := max(0, info.Size()-int64(maxBytes))
	data, err := io.ReadAll(io.NewSectionReader(f, from, int64(maxBytes)))
	if err != nil && len(data) == 0 {
		return nil
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(string(data), "\uFFFD"), "\n")
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	if from > 0 && len(all) > 1 {
		all = all[1:]
	}
	return all[max(0, len(all)-lines):]
}

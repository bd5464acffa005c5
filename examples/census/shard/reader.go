package shard

import (
	"bytes"
	"fmt"
	"io/fs"
)

const (
	// maxCost bounds what the files of a task take in a request: 1 MiB less an eighth for everything else in it.
	maxCost = 1<<20 - 1<<17
	// maxFile is the size of a file from which on it is taken for data.
	maxFile = 1 << 20
	// maxPath keeps a counter's answer, which may name a file for each language, far under the 64 KiB that a parent is
	// told of an answer.
	maxPath = 1 << 10
	// sniff is how much of a file decides whether it is text; git looks at as much.
	sniff = 8000
	// wanted is how many tasks a folder is cut into at least, as far as smallest allows; with the 30 starts at once
	// that a fleet allows by default there is room for some to be repeated.
	wanted = 24
	// smallest is the size of a task in bytes of source under which starting a capsule costs more than counting.
	smallest = 64 << 10
)

// LeftOut is a file that is in no task.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Reader gives the files of a folder, task by task, in the order of their paths.
type Reader struct {
	folder fs.FS
	paths  []string
	target int64 // bytes of source in a task
	held   *File // read already, but over the budget of the task before
	left   []LeftOut
}

// Open lists the files of a folder without reading them. A folder beneath it that cannot be listed is an error: a census
// that misses part of its input would be wrong.
func Open(folder fs.FS) (*Reader, error) {
	r := &Reader{folder: folder}
	var total int64
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case !entry.Type().IsRegular():
			r.leave(path, "not a regular file")
		case len(path) > maxPath:
			r.leave(path[:maxPath], fmt.Sprintf("path of %d bytes", len(path)))
		case info.Size() > maxFile:
			r.leave(path, fmt.Sprintf("%d bytes, more than %d", info.Size(), maxFile))
		default:
			total += info.Size()
			r.paths = append(r.paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	r.target = max(smallest, total/wanted)
	return r, nil
}

// Next gives the next task; one without files means that all have been given.
func (r *Reader) Next() (Task, error) {
	var task Task
	size, cost := int64(0), 0
	for size < r.target {
		file, err := r.file()
		if err != nil {
			return Task{}, err
		}
		if file == nil {
			break
		}
		more, err := file.cost()
		if err != nil {
			return Task{}, fmt.Errorf("%s: %w", file.Path, err)
		}
		switch {
		case more > maxCost:
			r.leave(file.Path, fmt.Sprintf("%d bytes as a task, more than %d", more, maxCost))
		case cost+more > maxCost:
			r.held = file
			return task, nil
		default:
			task.Files = append(task.Files, *file)
			size, cost = size+int64(len(file.Text)), cost+more
		}
	}
	return task, nil
}

// LeftOut lists what no task holds, as far as the reading has come.
func (r *Reader) LeftOut() []LeftOut { return r.left }

// file reads the next file that is text; nil when there is none.
func (r *Reader) file() (*File, error) {
	if file := r.held; file != nil {
		r.held = nil
		return file, nil
	}
	for len(r.paths) > 0 {
		path := r.paths[0]
		r.paths = r.paths[1:]
		text, err := fs.ReadFile(r.folder, path)
		if err != nil {
			return nil, fmt.Errorf("read file: %w", err)
		}
		if bytes.IndexByte(text[:min(len(text), sniff)], 0) >= 0 {
			r.leave(path, "binary")
			continue
		}
		return &File{Path: path, Text: string(text)}, nil
	}
	return nil, nil
}

func (r *Reader) leave(path, reason string) {
	r.left = append(r.left, LeftOut{Path: path, Reason: reason})
}

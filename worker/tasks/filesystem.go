package tasks

import (
	"errors"
	"io/fs"
	"slices"
)

// mounts pairs the assignment's mounts with their descriptors.
func (s *Session) mounts() []Mount {
	var all []Mount
	for i, m := range s.Assigned.GetFilesystem().GetMounts() {
		all = append(all, Mount{FD: s.Mounts[i], Guest: m.GetGuest(), ReadOnly: m.GetReadOnly()})
	}
	return all
}

// keepReadOnly makes a folder for every read-only path that leads to nothing, so that
// there is something to keep: else the guest could be the first to make it.
func (s *Session) keepReadOnly() error {
	paths := s.Assigned.GetFilesystem().GetReadOnly()
	if slices.Contains(paths, ".") {
		return nil
	}
	for _, path := range paths {
		_, err := s.Work.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = s.Work.MkdirAll(path, 0o755)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

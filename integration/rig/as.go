package rig

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stretchr/testify/require"
)

// As runs the supervisor as this user, who then owns the host's folder. Only root can.
func As(uid uint32) Option { return func(o *options) { o.uid, o.cold = uid, true } }

// disown gives the host's folder away and prepares the supervisor's process for its new owner.
func (h *Host) disown() {
	h.t.Helper()
	uid := int(h.o.uid)
	require.NoError(h.t, filepath.WalkDir(h.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	}))
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: h.o.uid, Gid: h.o.uid}}
}

package layout

import (
	"fmt"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
)

// remote lists file systems whose locks, sockets or renames are not those of one
// machine. The magic numbers are from Linux's uapi/linux/magic.h and, for SMB 2,
// Ceph and NCP, from the drivers' own headers.
var remote = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.V9FS_MAGIC:       "9p",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.AFS_FS_MAGIC:     "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	0xff534d42:            "CIFS",
	0xfe534d42:            "SMB 2",
	0x00c36400:            "Ceph",
	0x564c:                "NCP",
}

// local refuses a folder on a network file system.
func local(dir *beneath.Dir) error {
	var stat unix.Statfs_t
	if err := unix.Fstatfs(dir.FD(), &stat); err != nil {
		return err
	}
	if name, found := remote[uint32(stat.Type)]; found {
		return fmt.Errorf("it lies on a network file system (%s), it must be local", name)
	}
	return nil
}

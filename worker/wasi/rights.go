package wasi

// The rights that mean something here. Nothing is stored: a descriptor's rights follow
// from what it is.
const (
	rightDatasync = 1 << iota
	rightRead
	rightSeek
	rightSetFlags
	rightSync
	rightTell
	rightWrite
	rightAdvise
	rightAllocate
	rightCreateDirectory
	rightCreateFile
	rightLinkSource
	rightLinkTarget
	rightOpen
	rightReaddir
	rightReadlink
	rightRenameSource
	rightRenameTarget
	rightPathFilestatGet
	_ // path_filestat_set_size: no function of preview 1 needs it
	rightPathFilestatSetTimes
	rightFilestatGet
	rightFilestatSetSize
	rightFilestatSetTimes
	rightSymlink
	rightRemoveDirectory
	rightUnlinkFile
	rightPoll
)

const (
	rightsOfFile = rightDatasync | rightSync | rightSeek | rightTell | rightSetFlags | rightAdvise |
		rightFilestatGet | rightFilestatSetTimes | rightPoll
	rightsOfWriter = rightWrite | rightAllocate | rightFilestatSetSize
	rightsOfDir    = rightDatasync | rightSync | rightSetFlags | rightCreateDirectory | rightCreateFile |
		rightLinkSource | rightLinkTarget | rightOpen | rightReaddir | rightReadlink | rightRenameSource |
		rightRenameTarget | rightPathFilestatGet | rightPathFilestatSetTimes | rightFilestatGet |
		rightFilestatSetTimes | rightSymlink | rightRemoveDirectory | rightUnlinkFile | rightPoll
	rightsOfStream = rightSetFlags | rightFilestatGet | rightPoll
)

// rights returns what the descriptor shows, for itself and for what is opened through
// it. A read-only directory shows the same as any other: C libraries ask for no more
// than they see, and would then fail late and with the wrong code.
func (f *file) rights() (base, inheriting uint64) {
	switch f.kind {
	case directory:
		return rightsOfDir, rightsOfDir | rightsOfFile | rightRead | rightsOfWriter
	case regular:
		base = rightsOfFile
		if f.w {
			base |= rightsOfWriter
		}
	default:
		base = rightsOfStream
	}
	if f.r {
		base |= rightRead
	}
	if f.w {
		base |= rightWrite
	}
	return base, 0
}

func fdFdstatGet(h *Host, m memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	out := uint32(a[1])
	if !m.has(out, 24) {
		return Fault
	}
	base, inheriting := f.rights()
	m.put64(out, uint64(f.flags)<<16|uint64(f.fileType()))
	m.put64(out+8, base)
	m.put64(out+16, inheriting)
	return Success
}

// fdFdstatSetRights is not offered: rights follow from the descriptor, and programs
// must cope with the answer.
func fdFdstatSetRights(h *Host, _ memory, a *Args) Errno {
	if _, e := h.file(a[0]); e != Success {
		return e
	}
	return NotSup
}

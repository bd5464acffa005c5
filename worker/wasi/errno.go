package wasi

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// Errno is the answer of a WASI function: zero for success, else one of the
// preview 1 error codes (their numbers are the interface's).
type Errno int32

// The error codes this host answers with.
const (
	Success     Errno = 0
	TooBig      Errno = 1
	Acces       Errno = 2
	Again       Errno = 6
	BadF        Errno = 8
	Busy        Errno = 10
	DQuot       Errno = 19
	Exist       Errno = 20
	Fault       Errno = 21
	FBig        Errno = 22
	IlSeq       Errno = 25
	Intr        Errno = 27
	Inval       Errno = 28
	IO          Errno = 29
	IsDir       Errno = 31
	Loop        Errno = 32
	MFile       Errno = 33
	MLink       Errno = 34
	NameTooLong Errno = 37
	NFile       Errno = 41
	NoDev       Errno = 43
	NoEnt       Errno = 44
	NoMem       Errno = 48
	NoSpc       Errno = 51
	NoSys       Errno = 52
	NotDir      Errno = 54
	NotEmpty    Errno = 55
	NotSock     Errno = 57
	NotSup      Errno = 58
	NoTTY       Errno = 59
	NXIO        Errno = 60
	Overflow    Errno = 61
	Perm        Errno = 63
	Pipe        Errno = 64
	Range       Errno = 68
	ROFS        Errno = 69
	SPipe       Errno = 70
	Stale       Errno = 72
	TimedOut    Errno = 73
	TxtBsy      Errno = 74
	XDev        Errno = 75
	NotCapable  Errno = 76
)

// These two never reach a guest: they make Func.Call answer with an error that
// traps it.
const (
	exited   Errno = -1
	canceled Errno = -2
)

var errnoNames = map[Errno]string{
	Success: "success", TooBig: "2big", Acces: "acces", Again: "again", BadF: "badf", Busy: "busy",
	DQuot: "dquot", Exist: "exist", Fault: "fault", FBig: "fbig", IlSeq: "ilseq", Intr: "intr",
	Inval: "inval", IO: "io", IsDir: "isdir", Loop: "loop", MFile: "mfile", MLink: "mlink",
	NameTooLong: "nametoolong", NFile: "nfile", NoDev: "nodev", NoEnt: "noent", NoMem: "nomem",
	NoSpc: "nospc", NoSys: "nosys", NotDir: "notdir", NotEmpty: "notempty", NotSock: "notsock",
	NotSup: "notsup", NoTTY: "notty", NXIO: "nxio", Overflow: "overflow", Perm: "perm", Pipe: "pipe",
	Range: "range", ROFS: "rofs", SPipe: "spipe", Stale: "stale", TimedOut: "timedout",
	TxtBsy: "txtbsy", XDev: "xdev", NotCapable: "notcapable",
}

// String returns the interface's name of the code, such as "notcapable".
func (e Errno) String() string {
	if s, ok := errnoNames[e]; ok {
		return s
	}
	return "errno " + strconv.Itoa(int(e))
}

var fromKernel = map[unix.Errno]Errno{
	unix.E2BIG: TooBig, unix.EACCES: Acces, unix.EAGAIN: Again, unix.EBADF: BadF, unix.EBUSY: Busy,
	unix.EDQUOT: DQuot, unix.EEXIST: Exist, unix.EFAULT: Fault, unix.EFBIG: FBig, unix.EILSEQ: IlSeq,
	unix.EINTR: Intr, unix.EINVAL: Inval, unix.EIO: IO, unix.EISDIR: IsDir, unix.ELOOP: Loop,
	unix.EMFILE: MFile, unix.EMLINK: MLink, unix.ENAMETOOLONG: NameTooLong, unix.ENFILE: NFile,
	unix.ENODEV: NoDev, unix.ENOENT: NoEnt, unix.ENOMEM: NoMem, unix.ENOSPC: NoSpc, unix.ENOSYS: NoSys,
	unix.ENOTDIR: NotDir, unix.ENOTEMPTY: NotEmpty, unix.ENOTSOCK: NotSock, unix.EOPNOTSUPP: NotSup,
	unix.ENOTTY: NoTTY, unix.ENXIO: NXIO, unix.EOVERFLOW: Overflow, unix.EPERM: Perm, unix.EPIPE: Pipe,
	unix.ERANGE: Range, unix.EROFS: ROFS, unix.ESPIPE: SPipe, unix.ESTALE: Stale,
	unix.ETIMEDOUT: TimedOut, unix.ETXTBSY: TxtBsy, unix.EXDEV: XDev,
}

// errnoOf translates what the kernel said. What has no code of its own is an I/O
// error to the guest.
func errnoOf(err error) Errno {
	if err == nil {
		return Success
	}
	var e unix.Errno
	if errors.As(err, &e) {
		if w, ok := fromKernel[e]; ok {
			return w
		}
	}
	return IO
}

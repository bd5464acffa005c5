package wasi

import (
	"context"
	"fmt"
)

// Module is the name guests import the functions from.
const Module = "wasi_snapshot_preview1"

// ValType is the type of one parameter or result.
type ValType byte

// The two types that occur in preview 1.
const (
	I32 ValType = iota
	I64
)

// MaxParams is how many parameters the longest function takes (path_open takes
// nine; the array handed to Call is one longer so that a caller can share it with
// functions of its own).
const MaxParams = 10

// Args holds the raw parameters of one call, one a slot. Of a 32-bit parameter only
// the low half of its slot means anything.
type Args = [MaxParams]uint64

// Func is one row of the table: how a function is named and typed, and what it does.
type Func struct {
	Name    string
	Params  []ValType
	Results []ValType

	call func(h *Host, m memory, a *Args) Errno
}

// ExitError says that the guest ended itself with proc_exit. It is what Call answers,
// since the only way back to the guest's caller is a trap.
type ExitError struct{ Code uint32 }

// Error implements error.
func (e *ExitError) Error() string { return fmt.Sprintf("exit %d", e.Code) }

// CanceledError says that the task's context ended while the guest waited. It wraps
// the context's cause.
type CanceledError struct{ Cause error }

// Error implements error.
func (e *CanceledError) Error() string { return "canceled: " + e.Cause.Error() }

// Unwrap returns the context's cause.
func (e *CanceledError) Unwrap() error { return e.Cause }

// Call runs the function for h. mem is the guest's memory as it is at this moment and
// is not kept. The result is the error code for the guest, zero for success; it is
// meaningful only if Results is not empty. An error means that the guest must be
// trapped: it is an *ExitError or a *CanceledError.
func (f *Func) Call(h *Host, mem []byte, a *Args) (uint64, error) {
	h.named = ""
	e := f.call(h, mem, a)
	switch e {
	case Success:
		return 0, nil
	case exited:
		return 0, h.exit
	case canceled:
		return 0, &CanceledError{Cause: context.Cause(h.ctx)}
	case NotCapable, ROFS, DQuot:
		if h.refused != nil {
			h.refused(f.Name, h.named, e)
		}
	}
	return uint64(uint32(e)), nil
}

// Funcs returns the whole interface. The rows are shared: callers must not change
// them.
func Funcs() []Func { return table }

// row reads a signature such as "iiI": one letter a parameter, i for 32 and I for 64
// bits. Every function but proc_exit answers an error code.
func row(name, params string, call func(h *Host, m memory, a *Args) Errno) Func {
	f := Func{Name: name, Results: []ValType{I32}, call: call}
	for _, c := range params {
		if c == 'I' {
			f.Params = append(f.Params, I64)
		} else {
			f.Params = append(f.Params, I32)
		}
	}
	if name == "proc_exit" {
		f.Results = nil
	}
	return f
}

var table = []Func{
	row("args_get", "ii", argsGet),
	row("args_sizes_get", "ii", argsSizesGet),
	row("environ_get", "ii", environGet),
	row("environ_sizes_get", "ii", environSizesGet),
	row("clock_res_get", "ii", clockResGet),
	row("clock_time_get", "iIi", clockTimeGet),
	row("fd_advise", "iIIi", fdAdvise),
	row("fd_allocate", "iII", fdAllocate),
	row("fd_close", "i", fdClose),
	row("fd_datasync", "i", fdDatasync),
	row("fd_fdstat_get", "ii", fdFdstatGet),
	row("fd_fdstat_set_flags", "ii", fdFdstatSetFlags),
	row("fd_fdstat_set_rights", "iII", fdFdstatSetRights),
	row("fd_filestat_get", "ii", fdFilestatGet),
	row("fd_filestat_set_size", "iI", fdFilestatSetSize),
	row("fd_filestat_set_times", "iIIi", fdFilestatSetTimes),
	row("fd_pread", "iiiIi", fdPread),
	row("fd_prestat_get", "ii", fdPrestatGet),
	row("fd_prestat_dir_name", "iii", fdPrestatDirName),
	row("fd_pwrite", "iiiIi", fdPwrite),
	row("fd_read", "iiii", fdRead),
	row("fd_readdir", "iiiIi", fdReaddir),
	row("fd_renumber", "ii", fdRenumber),
	row("fd_seek", "iIii", fdSeek),
	row("fd_sync", "i", fdSync),
	row("fd_tell", "ii", fdTell),
	row("fd_write", "iiii", fdWrite),
	row("path_create_directory", "iii", pathCreateDirectory),
	row("path_filestat_get", "iiiii", pathFilestatGet),
	row("path_filestat_set_times", "iiiiIIi", pathFilestatSetTimes),
	row("path_link", "iiiiiii", pathLink),
	row("path_open", "iiiiiIIii", pathOpen),
	row("path_readlink", "iiiiii", pathReadlink),
	row("path_remove_directory", "iii", pathRemoveDirectory),
	row("path_rename", "iiiiii", pathRename),
	row("path_symlink", "iiiii", pathSymlink),
	row("path_unlink_file", "iii", pathUnlinkFile),
	row("poll_oneoff", "iiii", pollOneoff),
	row("proc_exit", "i", procExit),
	row("proc_raise", "i", procRaise),
	row("random_get", "ii", randomGet),
	row("sched_yield", "", schedYield),
	row("sock_accept", "iii", notSocket),
	row("sock_recv", "iiiiii", notSocket),
	row("sock_send", "iiiii", notSocket),
	row("sock_shutdown", "ii", notSocket),
}

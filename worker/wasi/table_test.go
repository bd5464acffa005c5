package wasi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// signatures is preview 1's witx, shortened: one letter a parameter, I for 64 bits, "p"
// for a pointer that the function must refuse when it is out of bounds.
const signatures = `
args_get pp
args_sizes_get pp
clock_res_get ip
clock_time_get iIp
environ_get pp
environ_sizes_get pp
fd_advise iIIi
fd_allocate iII
fd_close i
fd_datasync i
fd_fdstat_get ip
fd_fdstat_set_flags ii
fd_fdstat_set_rights iII
fd_filestat_get ip
fd_filestat_set_size iI
fd_filestat_set_times iIIi
fd_pread ipiIp
fd_prestat_dir_name ipi
fd_prestat_get ip
fd_pwrite ipiIp
fd_read ipip
fd_readdir ipiIp
fd_renumber ii
fd_seek iIip
fd_sync i
fd_tell ip
fd_write ipip
path_create_directory ipi
path_filestat_get iipip
path_filestat_set_times iipiIIi
path_link iipiipi
path_open iipiiIIip
path_readlink ipipip
path_remove_directory ipi
path_rename ipiipi
path_symlink piipi
path_unlink_file ipi
poll_oneoff ppip
proc_exit i
proc_raise i
random_get pi
sched_yield
sock_accept iip
sock_recv ipiipp
sock_send ipiip
sock_shutdown ii
`

func lines() map[string]string {
	m := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(signatures), "\n") {
		name, params, _ := strings.Cut(l, " ")
		m[name] = params
	}
	return m
}

func TestTheTableIsPreview1WithItsTypes(t *testing.T) {
	t.Parallel()
	want := lines()
	require.Len(t, Funcs(), 46)
	for _, f := range Funcs() {
		params, ok := want[f.Name]
		require.True(t, ok, f.Name)
		require.Len(t, f.Params, len(params), f.Name)
		for i, c := range params {
			require.Equal(t, c == 'I', f.Params[i] == I64, "%s parameter %d", f.Name, i)
		}
		if f.Name == "proc_exit" {
			require.Empty(t, f.Results)
		} else {
			require.Equal(t, []ValType{I32}, f.Results, f.Name)
		}
		delete(want, f.Name)
	}
	require.Empty(t, want)
}

func TestADescriptorThatIsNotOpenIsBadEverywhere(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for name := range lines() {
		if !strings.HasPrefix(name, "fd_") && !strings.HasPrefix(name, "sock_") && !strings.HasPrefix(name, "path_") {
			continue
		}
		for _, fd := range []uint64{100, maxFiles, 1 << 31, 1<<32 - 1} {
			args := g.validArgs(name)
			at := 0
			if name == "path_symlink" {
				at = 2
			}
			args[at] = fd
			require.Equal(t, BadF, g.call(name, args...), "%s of %d", name, fd)
		}
	}
}

// goodArgs points every pointer at a short path and leaves the rest small.
func (g *guest) goodArgs(params string) []uint64 {
	args := make([]uint64, len(params))
	for i, c := range params {
		args[i] = 1
		if c == 'p' {
			args[i] = g.put([]byte("f\x00\x00\x00\x00\x00\x00\x00"))
		}
	}
	return args
}

// validArgs is a call of each function that succeeds, or fails for a reason other than
// a pointer.
func (g *guest) validArgs(name string) []uint64 {
	args := g.goodArgs(lines()[name])
	dir := uint64(work)
	file := uint64(len(g.h.files)) - 1
	if file <= frozen {
		file = g.create("file")
	}
	switch name {
	case "path_open":
		args = []uint64{dir, 0, args[2], 1, oCreat, allRights, 0, 0, result}
	case "path_filestat_get", "path_filestat_set_times", "path_link":
		args[0], args[1] = dir, 0
		if name == "path_link" {
			args[4] = dir
		}
	case "path_rename":
		args[0], args[3] = dir, dir
	case "path_symlink":
		args[2] = dir
	case "path_create_directory", "path_readlink", "path_remove_directory", "path_unlink_file", "fd_prestat_get",
		"fd_readdir":
		args[0] = dir
	case "fd_prestat_dir_name":
		args[0], args[2] = dir, 100
	case "poll_oneoff":
		args[0], args[1] = g.put(make([]byte, 48)), g.put(make([]byte, 32))
	case "clock_res_get", "clock_time_get":
		args[0] = clockMonotonic
	default:
		if strings.HasPrefix(name, "fd_") {
			args[0] = file
		}
	}
	return args
}

func TestEveryPointerOutOfBoundsIsAFaultWithoutAnyEffect(t *testing.T) {
	t.Parallel()
	for name, params := range lines() {
		for i, c := range params {
			if c != 'p' || strings.HasPrefix(name, "sock_") {
				continue
			}
			for _, bad := range []uint64{1 << 20, 1<<32 - 1} {
				g := newGuest(t)
				args := g.validArgs(name)
				args[i] = bad
				before, open := g.tree("work"), len(g.h.files)
				require.Equal(t, Fault, g.call(name, args...), "%s parameter %d = %#x", name, i, bad)
				require.Equal(t, before, g.tree("work"), name)
				require.Len(t, g.h.files, open, name)
			}
		}
	}
}

func TestALengthThatReachesOutOfMemoryIsAFault(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, c := range []struct {
		name string
		args []uint64
	}{
		{"random_get", []uint64{8, 1<<32 - 1}},
		{"path_unlink_file", []uint64{work, 8, 1<<32 - 1}},
		{"path_create_directory", []uint64{work, 1<<32 - 1, 1<<32 - 1}},
		{"fd_prestat_dir_name", []uint64{work, 8, 1 << 20}},
		{"fd_readdir", []uint64{work, 8, 1 << 20, 0, result}},
		{"path_readlink", []uint64{work, g.put([]byte("x")), 1, 8, 1 << 20, result}},
		{"poll_oneoff", []uint64{8, 8, maxSubscriptions, 1 << 19}},
	} {
		if c.name == "poll_oneoff" {
			g.mem = g.mem[:1<<17]
		}
		require.Equal(t, Fault, g.call(c.name, c.args...), c.name)
	}
}

func TestAGuestWithoutMemoryGetsFaults(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.mem = nil
	require.Equal(t, Fault, g.call("args_sizes_get", 0, 0))
	require.Equal(t, Fault, g.call("fd_write", 1, 0, 0, 0))
	require.Equal(t, Success, g.call("random_get", 0, 0))
	require.Equal(t, Success, g.call("sched_yield"))
}

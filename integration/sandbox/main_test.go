package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// nobody is the user without rights that tests run as besides root.
const nobody = 65534

// users are whom the supervisor runs as: the test's own user, and one without rights when the test may choose.
func users() map[string][]rig.Option {
	all := map[string][]rig.Option{"as the test's own user": nil}
	if os.Geteuid() == 0 {
		all["as a user without rights"] = []rig.Option{rig.As(nobody)}
	}
	return all
}

// place is a folder that goes away with the test, and the files that the test lays out in it.
type place struct {
	t    *testing.T
	root string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{t, rig.Dir(t)}
}

func (p *place) path(rel string) string { return filepath.Join(p.root, rel) }

func (p *place) write(rel, text string) {
	p.t.Helper()
	require.NoError(p.t, os.MkdirAll(filepath.Dir(p.path(rel)), 0o755))
	require.NoError(p.t, os.WriteFile(p.path(rel), []byte(text), 0o644))
}

func (p *place) link(rel, target string) {
	p.t.Helper()
	require.NoError(p.t, os.MkdirAll(filepath.Dir(p.path(rel)), 0o755))
	require.NoError(p.t, os.Symlink(target, p.path(rel)))
}

// capsule puts a capsule with a built module and these capabilities into the place's store, and returns the store.
func (p *place) capsule(name, module, capabilities string) string {
	p.t.Helper()
	text, err := os.ReadFile(rig.Path(module + "/capsule.wasm"))
	require.NoError(p.t, err)
	p.write("store/"+name+"/capsule.wasm", string(text))
	p.write("store/"+name+"/murmur.yaml", "name: "+name+"\nversion: 0.1.0\ncapabilities: {"+capabilities+"}\n")
	return p.path("store")
}

// give makes everything in the place a user's who is not root.
func (p *place) give(opts []rig.Option) {
	p.t.Helper()
	if opts == nil {
		return
	}
	require.NoError(p.t, filepath.WalkDir(p.root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	}))
}

const probe = rig.Hostile + "/probe"

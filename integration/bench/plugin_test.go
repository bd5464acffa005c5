package bench

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/stretchr/testify/require"

	"rookery/launcher/compose"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// emptyPlugin is the program emptyplugin, built as `./dev build` builds the supervisor.
type emptyPlugin struct{ path, sockets string }

// newEmptyPlugin takes the folder for its sockets.
func newEmptyPlugin(b *testing.B, sockets string) emptyPlugin {
	b.Helper()
	p := emptyPlugin{path: filepath.Join(b.TempDir(), "emptyplugin"), sockets: sockets}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", p.path, "./emptyplugin")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	require.NoError(b, err, "%s", said)
	return p
}

// firstAnswer is the time from start to the first answer, as anybody gets it who uses the library as it comes. The Go runtime in the
// plugin is told the same as in a worker.
func (p emptyPlugin) firstAnswer(b *testing.B) time.Duration {
	b.Helper()
	cmd := exec.Command(p.path)
	cmd.Env = compose.RuntimeEnv()
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  plugin.Handshake,
		Plugins:          plugin.Set(nil),
		Cmd:              cmd,
		SkipHostEnv:      true,
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: p.sockets},
		Logger:           hclog.NewNullLogger(),
	})
	defer client.Kill()
	begun := time.Now()
	protocol, err := client.Client()
	require.NoError(b, err)
	raw, err := protocol.Dispense(plugin.Name)
	require.NoError(b, err)
	_, err = raw.(workerv1.WorkerServiceClient).Hello(b.Context(), &workerv1.HelloRequest{Protocol: plugin.Protocol})
	took := time.Since(begun)
	require.NoError(b, err)
	return took
}

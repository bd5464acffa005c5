package door

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

const cardPath = "/.well-known/agent-card.json"

// extension is where Murmur's extensions are explained, and by which they are known.
const extension = "https://docs.murmur.nexus/reference/"

// Card is what the agent card says about a session.
type Card struct {
	SessionID string
	Capsule   string
	Version   string
	// URL is the door's base URL.
	URL string
	// Since is when the card became what it is.
	Since time.Time
}

type agentCard struct {
	Name                 string           `json:"name"`
	Description          string           `json:"description"`
	Version              string           `json:"version"`
	SupportedInterfaces  []agentInterface `json:"supportedInterfaces"`
	Capabilities         capabilities     `json:"capabilities"`
	SecuritySchemes      struct{}         `json:"securitySchemes"`
	SecurityRequirements []struct{}       `json:"securityRequirements"`
	DefaultInputModes    []string         `json:"defaultInputModes"`
	DefaultOutputModes   []string         `json:"defaultOutputModes"`
	// Skills is empty as long as the door takes no new tasks.
	Skills []struct{} `json:"skills"`
}

type agentInterface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
}

type capabilities struct {
	Streaming         bool             `json:"streaming"`
	PushNotifications bool             `json:"pushNotifications"`
	ExtendedAgentCard bool             `json:"extendedAgentCard"`
	Extensions        []agentExtension `json:"extensions"`
}

type agentExtension struct {
	URI      string `json:"uri"`
	Required bool   `json:"required"`
	Params   any    `json:"params"`
}

type doorParams struct {
	Methods   []string `json:"methods"`
	PeerTasks bool     `json:"peerTasks"`
}

type capsuleParams struct {
	SessionID string   `json:"sessionId"`
	Tools     []string `json:"tools"`
	Shell     bool     `json:"shell"`
	Network   bool     `json:"network"`
	Planes    []string `json:"planes"`
}

type streamParams struct {
	Frames []string `json:"frames"`
}

// cardFile is the card as it is served.
type cardFile struct {
	data  []byte
	etag  string
	since time.Time
}

func newCardFile(c Card) (cardFile, error) {
	data, err := json.Marshal(agentCard{
		Name:                c.Capsule,
		Description:         "Murmur capsule " + c.Capsule + " " + c.Version,
		Version:             c.Version,
		SupportedInterfaces: []agentInterface{{URL: c.URL, ProtocolBinding: "JSONRPC", ProtocolVersion: protocolVersion}},
		Capabilities: capabilities{Extensions: []agentExtension{
			{URI: extension + "agent-card/#murmur-door-v1", Params: doorParams{Methods: slices.Sorted(maps.Keys(methods))}},
			{URI: extension + "agent-card/#murmur-capsule-v1", Params: capsuleParams{
				SessionID: c.SessionID, Tools: []string{}, Planes: []string{},
			}},
			{URI: extension + "streaming-protocol/#murmur-stream-v1", Params: streamParams{Frames: []string{}}},
		}},
		SecurityRequirements: []struct{}{},
		DefaultInputModes:    []string{"text/plain", "application/json"},
		DefaultOutputModes:   []string{"text/plain", "application/json"},
		Skills:               []struct{}{},
	})
	if err != nil {
		return cardFile{}, fmt.Errorf("agent card: %w", err)
	}
	sum := sha256.Sum256(data)
	return cardFile{data: data, etag: `"` + hex.EncodeToString(sum[:16]) + `"`, since: c.Since}, nil
}

// serve answers GET and HEAD, also conditional ones.
func (f cardFile) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("ETag", f.etag)
	// The next session at this address has another card.
	header.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", f.since, bytes.NewReader(f.data))
}

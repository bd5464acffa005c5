package door

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// protocolVersion is the version of A2A that the door speaks.
const protocolVersion = "1.0"

// spoken matches the versions that are that one; a patch number changes nothing.
var spoken = regexp.MustCompile(`^1\.0(\.[0-9]+)?$`)

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// serveRPC answers one JSON-RPC request. Whatever the answer, the status is 200.
func (d *Door) serveRPC(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > maxBody {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		// The caller has gone, or was too slow.
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	request, fault := open(body)
	out := answer{JSONRPC: "2.0", ID: request.ID, Error: fault}
	if fault == nil {
		out.Result, out.Error = d.answer(r, request)
	}
	data, err := json.Marshal(out)
	if err != nil {
		d.log.Error().Err(err).Msg("an answer could not be encoded")
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the caller may have gone
}

// answer decides in this order: the version, a completion, the method, its parameters.
func (d *Door) answer(r *http.Request, request envelope) (any, *rpcError) {
	versions := r.Header.Values("A2A-Version")
	if len(versions) != 1 || !spoken.MatchString(versions[0]) {
		return nil, versionNotSupported(strings.Join(versions, ", "))
	}
	if only(r.Header, originHeader) == completionOrigin {
		return d.ring(r, request)
	}
	method, served := methods[request.Method]
	if !served {
		return nil, methodNotFound()
	}
	params := object{}
	if request.Params != nil {
		var ok bool
		if params, ok = readObject(request.Params); !ok {
			return nil, invalidParams("params must be an object")
		}
	}
	return method(d, params)
}

// methods are those that the door serves, and its card names.
var methods = map[string]func(*Door, object) (any, *rpcError){
	"SendMessage": (*Door).sendMessage,
	"GetTask":     (*Door).getTask,
}

// only returns a header's value if it is there exactly once.
func only(header http.Header, name string) string {
	values := header.Values(name)
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

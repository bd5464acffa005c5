package door

import (
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"unicode/utf8"
)

// envelope is a JSON-RPC request whose parameters nobody has looked at.
type envelope struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage // nil when absent
}

// null answers requests whose own id cannot be told.
var null = json.RawMessage("null")

var integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// open reads the envelope of one request. On a fault the envelope still has the id to
// answer under.
func open(body []byte) (envelope, *rpcError) {
	e := envelope{ID: null}
	if !utf8.Valid(body) || !json.Valid(body) {
		return e, invalidJSON()
	}
	// A batch or a bare value is no object.
	fields, isObject := readObject(body)
	if !isObject {
		return e, invalidRequest()
	}
	id, ok := fields["id"]
	if !ok || !(integer.Match(id) || id[0] == '"') {
		return e, invalidRequest()
	}
	e.ID = id
	var version string
	if json.Unmarshal(fields["jsonrpc"], &version) != nil || version != "2.0" {
		return e, invalidRequest()
	}
	method := fields["method"]
	if len(method) == 0 || method[0] != '"' || json.Unmarshal(method, &e.Method) != nil {
		return e, invalidRequest()
	}
	e.Params = fields["params"]
	return e, nil
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

package door

import (
	"bytes"
	"encoding/json"
	"fmt"

	"rookery/worker/internal/live"
)

const (
	// maxMessage bounds what a message brings to a task, in bytes: it is handed to the
	// guest in one piece.
	maxMessage = 1 << 20
	// maxReferences bounds the distinct tasks a message refers to.
	maxReferences = 16
)

// message is what SendMessage has brought.
type message struct {
	live.Message
	taskID, contextID string
}

// object is a JSON object of which nobody has looked at the values.
type object map[string]json.RawMessage

// readObject reads an object. Names match to the letter, a null is no object.
func readObject(data json.RawMessage) (object, bool) {
	var o object
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || json.Unmarshal(data, &o) != nil {
		return nil, false
	}
	return o, true
}

// readMessage checks the parameters of SendMessage, in the order that callers rely on.
func readMessage(params object) (message, *rpcError) {
	o, ok := readObject(params["message"])
	if !ok {
		return message{}, invalidParams("message must be an object")
	}
	var m message
	var fault *rpcError
	if m.ID, fault = o.text("message", "messageId"); fault != nil {
		return message{}, fault
	}
	if m.ID == "" {
		return message{}, invalidParams("message.messageId must not be empty")
	}
	if role, fault := o.text("message", "role"); fault != nil || role != "ROLE_USER" {
		return message{}, invalidParams("message.role must be ROLE_USER")
	}
	refused, fault := m.readParts(o["parts"])
	if fault != nil {
		return message{}, fault
	}
	if m.taskID, fault = o.text("message", "taskId"); fault != nil {
		return message{}, fault
	}
	if m.contextID, fault = o.text("message", "contextId"); fault != nil {
		return message{}, fault
	}
	if fault := readReferences(o["referenceTaskIds"]); fault != nil {
		return message{}, fault
	}
	if refused != nil {
		return message{}, refused
	}
	if size := len(params["message"]); size > maxMessage {
		return message{}, invalidParams(fmt.Sprintf("message has %d bytes, more than %d", size, maxMessage))
	}
	return m, nil
}

// readParts reads the parts. refused is about the first one of a kind that the door does
// not take, which comes after every other fault.
func (m *message) readParts(data json.RawMessage) (refused, fault *rpcError) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return nil, invalidParams("message.parts must be a list that is not empty")
	}
	for i, data := range list {
		at := fmt.Sprintf("message.parts[%d]", i)
		o, ok := readObject(data)
		if !ok {
			return nil, invalidParams(at + " must be an object")
		}
		p, kind, fault := o.part(at)
		if fault != nil {
			return nil, fault
		}
		if (kind == "raw" || kind == "url") && refused == nil {
			refused = contentTypeNotSupported(i, p.MediaType)
		}
		m.Parts = append(m.Parts, p)
	}
	return refused, nil
}

// part reads one part and says of which kind it is.
func (o object) part(at string) (p live.Part, kind string, fault *rpcError) {
	for _, name := range []string{"text", "raw", "url", "data"} {
		if _, there := o[name]; there {
			if kind != "" {
				return p, "", invalidParams(at + " must set exactly one of text, raw, url and data")
			}
			kind = name
		}
	}
	if kind == "" {
		return p, "", invalidParams(at + " must set exactly one of text, raw, url and data")
	}
	if p.MediaType, fault = o.text(at, "mediaType"); fault != nil {
		return p, "", fault
	}
	if p.Filename, fault = o.text(at, "filename"); fault != nil {
		return p, "", fault
	}
	if kind == "data" {
		p.Data = o["data"]
		return p, kind, nil
	}
	var text *string
	if json.Unmarshal(o[kind], &text) != nil || text == nil {
		return p, "", invalidParams(at + "." + kind + " must be a string")
	}
	if kind == "text" {
		p.Text = text
	}
	return p, kind, nil
}

// text reads a text that may be absent, and is empty then. Null is no text.
func (o object) text(at, name string) (string, *rpcError) {
	data, there := o[name]
	if !there {
		return "", nil
	}
	var s *string
	if json.Unmarshal(data, &s) != nil || s == nil {
		return "", invalidParams(at + "." + name + " must be a string")
	}
	return *s, nil
}

func readReferences(data json.RawMessage) *rpcError {
	if data == nil {
		return nil
	}
	var list []*string
	if json.Unmarshal(data, &list) != nil || list == nil {
		return invalidParams("message.referenceTaskIds must be a list")
	}
	distinct := map[string]bool{}
	for _, id := range list {
		if id == nil || *id == "" {
			return invalidParams("message.referenceTaskIds must hold strings that are not empty")
		}
		distinct[*id] = true
	}
	if len(distinct) > maxReferences {
		return invalidParams(fmt.Sprintf("message.referenceTaskIds holds more than %d tasks", maxReferences))
	}
	return nil
}

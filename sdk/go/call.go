package murmur

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// ErrOutside is what every call fails with in a program that is not built for wasip1: there is no host to ask.
var ErrOutside = errors.New("runs only inside a capsule (GOOS=wasip1 GOARCH=wasm)")

// one is held over a call and the takes that fetch its response: the host keeps only the newest response.
var one sync.Mutex

// call does one op: request is encoded as its JSON, and the "ok" of the answer is decoded into ok.
func call(op string, request, ok any) error {
	req, err := encode(request)
	if err != nil {
		return fmt.Errorf("%s: request: %w", op, err)
	}
	one.Lock()
	response, err := exchange(op, req)
	one.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return decode(op, response, ok)
}

// encode writes a request without the escapes for HTML, which would cost five bytes for every '<' of a task.
func encode(request any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(request); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// decode reads a response. Fields that this version does not know are ignored.
func decode(op string, response []byte, ok any) error {
	var envelope struct {
		OK    json.RawMessage `json:"ok"`
		Error *wireError      `json:"error"`
	}
	if err := json.Unmarshal(response, &envelope); err != nil {
		return fmt.Errorf("%s: response: %w", op, err)
	}
	if envelope.Error != nil {
		return envelope.Error.typed(op)
	}
	if envelope.OK == nil {
		return fmt.Errorf("%s: response holds neither ok nor error", op)
	}
	if err := json.Unmarshal(envelope.OK, ok); err != nil {
		return fmt.Errorf("%s: response: %w", op, err)
	}
	return nil
}

// collect fetches a response of n bytes by take, which copies the next bytes and returns how many: 0 is the end.
func collect(n int64, take func(dst []byte) int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("host answered %d, which version 1 of the interface does not use", n)
	}
	response := make([]byte, n)
	got := 0
	for got < len(response) {
		m := take(response[got:])
		if m == 0 {
			return nil, fmt.Errorf("host announced %d bytes and gave %d", n, got)
		}
		got += m
	}
	return response, nil
}

// Asker makes the calls that its task lists, exactly as they stand there, and answers with the responses. Its task is JSON:
// [{"op": "delegate", "request": {…}, "pad": 0, "until": ""}, …].
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	murmur "rookery/sdk/go"
)

//go:wasmimport murmur call
func hostCall(op unsafe.Pointer, opLen uint32, request unsafe.Pointer, requestLen uint32) int64

//go:wasmimport murmur take
func hostTake(dst unsafe.Pointer, dstLen uint32) uint32

// pause is the time between two tries of a call that is repeated.
const pause = 20 * time.Millisecond

type ask struct {
	Op      string          `json:"op"`
	Request json.RawMessage `json:"request"`
	// Pad is how many spaces follow the request.
	Pad int `json:"pad"`
	// Until repeats the call until its response holds this text.
	Until string `json:"until"`
}

func main() { murmur.Main(answer) }

func answer(text string) (string, error) {
	var asks []ask
	if err := json.Unmarshal([]byte(text), &asks); err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	// Something for requests to name.
	if err := os.WriteFile("file", []byte("text"), 0o600); err != nil {
		return "", err
	}
	responses := []json.RawMessage{}
	last := ""
	for _, a := range asks {
		// A request may name the delegation that was made last.
		request := strings.ReplaceAll(string(a.Request), "$delegation", last) + strings.Repeat(" ", a.Pad)
		response := exchange(a.Op, request)
		for a.Until != "" && !strings.Contains(response, a.Until) {
			time.Sleep(pause)
			response = exchange(a.Op, request)
		}
		var started struct {
			OK struct {
				DelegationID string `json:"delegation_id"`
			} `json:"ok"`
		}
		if json.Unmarshal([]byte(response), &started) == nil && started.OK.DelegationID != "" {
			last = started.OK.DelegationID
		}
		responses = append(responses, json.RawMessage(response))
		fmt.Println(a.Op, response)
	}
	out, err := json.Marshal(responses)
	return string(out), err
}

// exchange makes one call.
func exchange(op, request string) string {
	n := hostCall(unsafe.Pointer(unsafe.StringData(op)), uint32(len(op)), unsafe.Pointer(unsafe.StringData(request)), uint32(len(request)))
	response := make([]byte, n)
	for got := 0; got < len(response); {
		m := hostTake(unsafe.Pointer(&response[got]), uint32(len(response)-got))
		if m == 0 {
			break
		}
		got += int(m)
	}
	return string(response)
}

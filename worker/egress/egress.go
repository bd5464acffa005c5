package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// maxAnswer bounds the body read: a JSON-RPC answer is some hundred bytes, a
	// hostile one anything.
	maxAnswer = 1 << 20
	// maxHeader bounds an answer's headers.
	maxHeader = 16 << 10
	// connectTimeout bounds one connect. Doors are on this machine.
	connectTimeout = time.Second
)

// ErrTooLarge is returned for an answer of more than 1 MiB.
var ErrTooLarge = errors.New("the answer is larger than the limit of 1048576 bytes")

// Response is an answer that has been read whole.
type Response struct {
	Status int
	Body   []byte
}

// Client sends requests. The zero value is not usable; use New.
type Client struct {
	http *http.Client
}

// New returns a client. It holds no connections between requests.
func New() *Client {
	dialer := net.Dialer{Timeout: connectTimeout}
	return &Client{http: &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, fmt.Errorf("failed to connect: %w", err)
				}
				return conn, nil
			},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Post sends body to url with the headers as they are spelt, and reads the
// answer. ctx bounds all of it. An answer of any status is no error.
func (c *Client) Post(ctx context.Context, url string, headers map[string]string, body []byte) (Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return Response{}, fmt.Errorf("post: %w", err)
	}
	for name, value := range headers {
		// Set would change the case: others send these names as they are here.
		request.Header[name] = []string{value}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return Response{}, fmt.Errorf("post: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return Response{}, fmt.Errorf("post: read the answer: %w", err)
	}
	if len(answer) > maxAnswer {
		return Response{}, fmt.Errorf("post: %w", ErrTooLarge)
	}
	return Response{Status: response.StatusCode, Body: answer}, nil
}

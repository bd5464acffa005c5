package murmur

import "encoding/json"

// Part is one piece of a message, an artifact or an answer. What is sent holds one of Data, URL, File and Text; Text,
// which may be empty, when the others are. What is received holds Text or Data.
type Part struct {
	Text string `json:"text,omitempty"`
	// Data is any JSON value.
	Data json.RawMessage `json:"data,omitempty"`
	// URL is absolute.
	URL string `json:"url,omitempty"`
	// File is a path of the work folder. The host keeps its length and SHA-256, not its bytes.
	File      string `json:"file,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Filename  string `json:"filename,omitempty"`
}

// Text is a part that holds text.
func Text(text string) Part { return Part{Text: text} }

// File is a part that names a file of the work folder.
func File(path string) Part { return Part{File: path} }

// JSON is a part that holds v as JSON. The error is encoding/json's.
func JSON(v any) (Part, error) {
	data, err := encode(v)
	return Part{Data: data, MediaType: "application/json"}, err
}

// MarshalJSON writes exactly one of the four, also an empty text.
func (p Part) MarshalJSON() ([]byte, error) {
	type plain Part
	if p.Text != "" || p.Data != nil || p.URL != "" || p.File != "" {
		return encode(plain(p))
	}
	return encode(struct {
		Text string `json:"text"`
		plain
	}{"", plain(p)})
}

package strictjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/ops/internal/strictjson"
)

type inner struct {
	Name string `json:"name"`
}

type request struct {
	Text  string          `json:"text"`
	Maybe *string         `json:"maybe,omitempty"`
	Flag  bool            `json:"flag"`
	Secs  *float64        `json:"secs"`
	Seq   uint64          `json:"seq"`
	List  []string        `json:"list"`
	Inner *inner          `json:"inner"`
	Any   json.RawMessage `json:"any"`
}

type ruled struct {
	Level string   `json:"level" rule:"required;enum=low high" doc:"How much."`
	Key   *string  `json:"key" rule:"min=1;max=4"`
	Secs  *float64 `json:"secs" rule:"min=0;max=60"`
	Seq   uint64   `json:"seq" rule:"min=1"`
	Kinds []string `json:"kinds" rule:"enum=a b;max=2"`
	Inner *struct {
		Name string `json:"name" rule:"required"`
	} `json:"inner"`
}

func ptr[T any](v T) *T { return &v }

func TestWhatIsUnderstoodIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want request
	}{
		"an empty object":             {`{}`, request{}},
		"white space around":          {" \n{\t} ", request{}},
		"every type":                  {`{"text":"a","maybe":"b","flag":true,"secs":1.5,"seq":7,"list":["x","y"],"inner":{"name":"n"},"any":[1]}`, request{"a", ptr("b"), true, ptr(1.5), 7, []string{"x", "y"}, &inner{"n"}, json.RawMessage("[1]")}},
		"any value may be null":       {`{"any":null}`, request{Any: json.RawMessage("null")}},
		"an empty list is no absence": {`{"list":[]}`, request{List: []string{}}},
		"an empty text is no absence": {`{"maybe":""}`, request{Maybe: ptr("")}},
		"a field in another order":    {`{"seq":1,"text":"t"}`, request{Text: "t", Seq: 1}},
		"an escaped field name":       {`{"te\u0078t":"t"}`, request{Text: "t"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got request
			require.NoError(t, strictjson.Decode([]byte(c.data), &got))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestWhatIsNotUnderstoodIsRefusedByName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"nothing":                      {``, "the request must be an object"},
		"a list":                       {`[]`, "the request must be an object"},
		"null":                         {`null`, "the request must be an object"},
		"an object that does not end":  {`{"text":"a"`, "the request must be an object"},
		"a key that is no string":      {`{1:2}`, "the request must be an object"},
		"an unknown field":             {`{"txt":"a"}`, `unknown field "txt"`},
		"another letter case":          {`{"Text":"a"}`, `unknown field "Text"`},
		"an unknown field further in":  {`{"inner":{"nome":"a"}}`, `unknown field "inner.nome"`},
		"a field twice":                {`{"flag":true,"flag":false}`, `field "flag" is there twice`},
		"a number for a text":          {`{"text":1}`, `field "text" must be a string`},
		"a text for a number":          {`{"secs":"1"}`, `field "secs" must be a number`},
		"a number for a flag":          {`{"flag":1}`, `field "flag" must be true or false`},
		"a negative whole number":      {`{"seq":-1}`, `field "seq" must be a whole number that is not negative`},
		"a fraction as a whole number": {`{"seq":1.5}`, `field "seq" must be a whole number that is not negative`},
		"a number beyond 64 bits":      {`{"seq":18446744073709551616}`, `field "seq" must be a whole number that is not negative`},
		"null for a text":              {`{"text":null}`, `field "text" must be a string`},
		"null for an optional text":    {`{"maybe":null}`, `field "maybe" must be a string`},
		"null for a list":              {`{"list":null}`, `field "list" must be a list`},
		"null for an object":           {`{"inner":null}`, `field "inner" must be an object`},
		"null in a list":               {`{"list":["a",null]}`, `field "list[1]" must be a string`},
		"an object for a list":         {`{"list":{}}`, `field "list" must be a list`},
		"a value that is not JSON":     {`{"text":nope}`, `field "text" is not JSON`},
		"something after the object":   {`{} {}`, "something follows the request's object"},
		"a comma after the object":     {`{},`, "something follows the request's object"},
		"bytes that are not UTF-8":     {"{\"text\":\"\xff\"}", "the request is not UTF-8"},
		"a long name is cut":           {`{"` + strings.Repeat("n", 100) + `":1}`, `unknown field "` + strings.Repeat("n", 64) + `…"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, strictjson.Decode([]byte(c.data), &request{}), c.want)
		})
	}
}

func TestValuesOutsideAFieldsRuleAreRefused(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"level":"low","key":"k","secs":60,"seq":1,"kinds":["a","b"],"inner":{"name":""}}`: "",
		`{}`:                                    `field "level" is missing`,
		`{"level":"loud"}`:                      `field "level" must be one of low high`,
		`{"level":"low","key":""}`:              `field "key" must have 1 to 4 bytes`,
		`{"level":"low","key":"ééé"}`:           `field "key" must have 1 to 4 bytes`,
		`{"level":"low","secs":-1}`:             `field "secs" must be between 0 and 60`,
		`{"level":"low","secs":60.5}`:           `field "secs" must be between 0 and 60`,
		`{"level":"low","seq":0}`:               `field "seq" must be at least 1`,
		`{"level":"low","kinds":["a","c"]}`:     `field "kinds[1]" must be one of a b`,
		`{"level":"low","kinds":["a","a","a"]}`: `field "kinds" must have 0 to 2 items`,
		`{"level":"low","inner":{}}`:            `field "inner.name" is missing`,
	} {
		err := strictjson.Decode([]byte(data), &ruled{})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, want, data)
	}
}

func TestASchemaSaysWhatIsTaken(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(strictjson.Request(reflect.TypeFor[ruled]()))
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{`+
		`"level":{"type":"string","description":"How much.","enum":["low","high"]},`+
		`"key":{"type":"string","minLength":1,"maxLength":4},`+
		`"secs":{"type":"number","minimum":0,"maximum":60},`+
		`"seq":{"type":"integer","minimum":1},`+
		`"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":2},`+
		`"inner":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`+
		`},"required":["level"],"additionalProperties":false}`, string(got))
}

func TestASchemaOfAnAnswerIsOpen(t *testing.T) {
	t.Parallel()
	type answer struct {
		ID   string `json:"id"`
		Rest any    `json:"rest,omitempty"`
	}
	got, err := json.Marshal(strictjson.Answer(reflect.TypeFor[answer]()))
	require.NoError(t, err)
	assert.Equal(t, `{"type":"object","properties":{"id":{"type":"string"},"rest":{}},"required":["id"]}`, string(got))
}

// FuzzDecode holds the decoder to encoding/json: what it takes, that takes too, and
// says the same again when it is written and read once more.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"text":"a","list":["b"],"inner":{"name":"c"}}`, `{"secs":1e3}`, `{"seq":01}`, `{"a":{"b":[[[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got request
		if err := strictjson.Decode(data, &got); err != nil {
			assert.True(t, utf8.ValidString(err.Error()))
			return
		}
		var plain request
		require.NoError(t, json.Unmarshal(data, &plain))
		assert.Equal(t, plain, got)
	})
}

package story

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Teller tells one trace, line after line. The zero Teller is ready.
type Teller struct {
	begin int64 // of the first event, in unix milliseconds
	begun bool
	depth map[string]int // of the events so far
}

// event is a line of a trace.
type event map[string]any

// deepest bounds the indent.
const deepest = 16

// Line is the event of one JSON line as a person reads it.
func (t *Teller) Line(line string) string {
	var e event
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		return "        ?  " + line
	}
	at, _ := e["timestamp"].(float64)
	if !t.begun {
		t.begin, t.begun, t.depth = int64(at), true, map[string]int{}
	}
	depth := 0
	if above, ok := t.depth[e.text("parent_id")]; ok {
		depth = min(above+1, deepest)
	}
	if id := e.text("event_id"); id != "" {
		t.depth[id] = depth
	}
	since := float64(int64(at)-t.begin) / 1000
	return fmt.Sprintf("%+9.3fs  %s%s", since, strings.Repeat("  ", depth), e.words())
}

func (e event) text(key string) string {
	s, _ := e[key].(string)
	return s
}

// number is a whole number of the event, 0 when there is none.
func (e event) number(key string) int64 {
	n, _ := e[key].(float64)
	return int64(n)
}

func (e event) list(key string) string {
	all, _ := e[key].([]any)
	var words []string
	for _, v := range all {
		words = append(words, fmt.Sprint(v))
	}
	return strings.Join(words, ", ")
}

func (e event) took() string {
	return (time.Duration(e.number("duration_ms")) * time.Millisecond).String()
}

// because is a key's text as the reason behind a sentence.
func (e event) because(key string) string {
	if why := e.text(key); why != "" {
		return ": " + why
	}
	return ""
}

func (e event) words() string {
	switch kind := e.text("event_type"); kind {
	case "session_start":
		return e.sessionStart()
	case "task_start":
		from := "the operator"
		if e.text("origin") == "peer" {
			from = "another capsule, not trusted"
		}
		return fmt.Sprintf("task %s from %s, %d bytes", e.text("task_id"), from, e.number("message_parts_bytes"))
	case "task_end":
		return fmt.Sprintf("task ended %s after %s%s", e.text("exit_status"), e.took(), e.because("detail"))
	case "delegation_start":
		return fmt.Sprintf("delegated to %s %s: %s, session %s", e.text("capsule"), e.text("version"), e.text("delegation_id"), e.text("child_session_id"))
	case "delegation":
		if e.text("outcome") == "refused" {
			return fmt.Sprintf("was refused a delegation to %s %s%s", e.text("capsule"), e.text("version"), e.because("reason"))
		}
		return fmt.Sprintf("%s %s ended %s after %s: %s%s", e.text("capsule"), e.text("version"), e.text("outcome"), e.took(), e.text("delegation_id"), e.because("reason"))
	case "access_refused":
		line := fmt.Sprintf("was refused %s %s (%s)", e.text("op"), e.text("path"), e.text("errno"))
		if n := e.number("dropped"); n > 0 {
			line += fmt.Sprintf(", and %d more before it", n)
		}
		return line
	case "session_end":
		return fmt.Sprintf("session ended %s after %s", e.text("exit_status"), e.took())
	default:
		return e.plain(kind)
	}
}

func (e event) sessionStart() string {
	line := fmt.Sprintf("session %s of %s %s, contained: %s", e.text("session_id"), e.text("capsule_name"), e.text("capsule_version"), e.text("containment_achieved"))
	if by := e.text("spawned_by"); by != "" {
		line += fmt.Sprintf(", delegated by %s as %s", by, e.text("delegation_id"))
	}
	grants, _ := e["effective_grants"].(map[string]any)
	if may := event(grants).list("spawn_allow"); may != "" {
		line += "; may delegate to " + may
	}
	if sees := event(grants).list("env_allow"); sees != "" {
		line += "; sees " + sees
	}
	return line
}

// common stand on every line and are told otherwise.
var common = []string{"event_type", "event_id", "parent_id", "session_id", "timestamp"}

// plain tells an event by its own names.
func (e event) plain(kind string) string {
	line := kind
	if line == "" {
		line = "event"
	}
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if slices.Contains(common, key) {
			continue
		}
		value, err := json.Marshal(e[key])
		if err != nil {
			continue // it came from JSON
		}
		line += " " + key + "=" + string(value)
	}
	return line
}

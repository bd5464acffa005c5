// Editor tries to get more than it was granted by editing what it was given: the files of murmur-runtime, its
// environment, and a manifest of its own making in its work folder. Then it asks for what it wants, and answers with how
// each attempt went.
package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"rookery/examples/misbehave/told"
	murmur "rookery/sdk/go"
)

type report struct {
	// Edits are attempts on murmur-runtime; one without an error went through.
	Edits []edit `json:"edits"`
	// Before and After are what the host says about this capsule before and after all edits.
	Before about `json:"before"`
	After  about `json:"after"`
	// Unlisted is the answer to a delegation that the manifest does not grant.
	Unlisted *told.Refusal `json:"unlisted"`
	// Started children were granted before StoppedBy was the answer.
	Started   int           `json:"started"`
	StoppedBy *told.Refusal `json:"stopped_by"`
}

type edit struct {
	What  string `json:"what"`
	Error string `json:"error,omitempty"`
}

type about struct {
	SessionID string        `json:"session_id"`
	Limits    murmur.Limits `json:"limits"`
	Grants    murmur.Grants `json:"grants"`
}

func main() { murmur.Main(answer) }

func answer(string) (string, error) {
	var r report
	var err error
	if r.Before, err = self(); err != nil {
		return "", err
	}
	const own = "murmur.yaml"
	if err := os.WriteFile(own, []byte(greedy), 0o644); err != nil {
		return "", err
	}
	r.files(own)
	if err := environment(); err != nil {
		return "", err
	}
	if r.After, err = self(); err != nil {
		return "", err
	}
	_, err = murmur.Delegate(murmur.DelegateRequest{Capsule: "silent-ok", Version: "0.1.0"})
	r.Unlisted = told.Refused(err)
	for {
		if _, err = murmur.Delegate(murmur.DelegateRequest{Capsule: "sleep", Version: "0.1.0"}); err != nil {
			break
		}
		r.Started++
	}
	r.StoppedBy = told.Refused(err)
	return told.Answer(r)
}

func self() (about, error) {
	info, err := murmur.Self()
	return about{SessionID: info.SessionID, Limits: info.Limits, Grants: info.Grants}, err
}

const (
	runtime  = "murmur-runtime/"
	manifest = runtime + "murmur.yaml"
	greedy   = "name: editor\nversion: 0.1.0\ncapabilities:\n  spawn:\n    allow: [sleep, silent-ok, editor]\n" +
		"  limits:\n    memory_bytes: 4Gi\n    deadline_seconds: 86400\n"
)

// files tries all ways to change what lies in murmur-runtime. The manifest of its own making it may have: the work folder
// is its own.
func (r *report) files(own string) {
	r.try("overwrite "+manifest, os.WriteFile(manifest, []byte(greedy), 0o644))
	r.try("append to "+manifest, open(manifest, os.O_WRONLY|os.O_APPEND))
	r.try("open "+manifest+" for reading and writing", open(manifest, os.O_RDWR))
	r.try("truncate "+manifest, os.Truncate(manifest, 0))
	r.try("remove "+manifest, os.Remove(manifest))
	r.try("rename "+manifest, os.Rename(manifest, runtime+"old.yaml"))
	r.try("move "+manifest+" to the work folder", os.Rename(manifest, "old.yaml"))
	r.try("move "+own+" over "+manifest, os.Rename(own, manifest))
	r.try("link "+manifest+" into the work folder", os.Link(manifest, "linked.yaml"))
	r.try("set the times of "+manifest, os.Chtimes(manifest, time.Unix(0, 0), time.Unix(0, 0)))
	r.try("create a file in "+runtime, os.WriteFile(runtime+"new", nil, 0o644))
	r.try("create a folder in "+runtime, os.Mkdir(runtime+"new.d", 0o755))
	r.try("create a link in "+runtime, os.Symlink("murmur.yaml", runtime+"link"))
	r.try("remove "+runtime, os.Remove(runtime))
}

func (r *report) try(what string, err error) {
	e := edit{What: what}
	if err != nil {
		e.Error = cause(err)
	}
	r.Edits = append(r.Edits, e)
}

// cause is the error without the paths.
func cause(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

func open(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// environment gives all names of the host other values. That always works, in the memory of this process.
func environment() error {
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value+"f"); err != nil {
			return err
		}
	}
	return os.Setenv("MURMUR_SPAWNER", `{"session_id": "ses_0", "depth": 0}`)
}

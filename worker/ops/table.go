package ops

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"rookery/worker/ops/internal/strictjson"
)

// need is a grant: whether a session has it, and the manifest's key behind it.
type need struct {
	key     string
	granted func(*Calls) bool
}

var (
	nothing = need{"", func(*Calls) bool { return true }}
	spawn   = need{"capabilities.spawn.allow", func(c *Calls) bool { return len(c.assigned.GetGrants().GetSpawnAllow()) > 0 }}
)

// op is one row of the table.
type op struct {
	name string
	need need
	doc  string
	// request and answers are the structs that the schemas are made of.
	request reflect.Type
	answers []reflect.Type
	// answer reads the request and does the work. What it returns is put under "ok".
	answer func(ctx context.Context, c *Calls, request []byte) (any, error)
}

// table holds every op there is, in the order in which self lists them.
func table() []op {
	return []op{
		row("self", nothing, "Tells who the capsule is, what its task is, what it may do and until when.", self),
		row("log", nothing, "Puts a line with a level into the capsule's error log, where its prints go too.", log),
		row("progress", nothing, "Says how far the task is: to the trace, to whoever looks at the task, and to the capsule that delegated it.", progress),
		row("artifact", nothing, "Gives away a piece of the answer, which stays in the task's records whatever happens later.", artifact),
		row("finish", nothing, "Says how the task ends, once; without it the exit code decides. A trap is an error all the same.", finish),
		row("request-input", nothing, "Asks for a message and waits for it; the task requires input meanwhile. If nobody answers in time, the task fails with `input-timeout`.", requestInput),
		row("wait", nothing, "Waits for whatever happens next: outcomes and progress of children, messages, the request to end. Reads can be repeated.", wait).shaped(reflect.TypeFor[waitAnswer[event]]()),
		row("delegate", spawn, "Starts a capsule as a child, and with `wait` answers with its outcome.", delegate).shaped(reflect.TypeFor[delegateAnswer](), reflect.TypeFor[outcome]()),
		row("await", spawn, "Waits for outcomes of children. Reads can be repeated.", await).shaped(reflect.TypeFor[awaitAnswer[outcome]]()),
		row("end-delegation", spawn, "Ends a child and all beneath it, and answers with its outcome once its process is gone.", endDelegation),
	}
}

// row makes a row of a handler: its request's struct drives the decoder and the schema.
func row[Q, A any](name string, n need, doc string, handle func(context.Context, *Calls, Q) (A, error)) op {
	return op{
		name: name, need: n, doc: doc, request: reflect.TypeFor[Q](), answers: []reflect.Type{reflect.TypeFor[A]()},
		answer: func(ctx context.Context, c *Calls, data []byte) (any, error) {
			var request Q
			if err := strictjson.Decode(data, &request); err != nil {
				return nil, badRequest("%w", err)
			}
			return handle(ctx, c, request)
		},
	}
}

// shaped describes the answers of a row whose handler's type does not.
func (o op) shaped(answers ...reflect.Type) op {
	o.answers = answers
	return o
}

// find returns the op of that name if the session may use it.
func (c *Calls) find(name string) (op, error) {
	for _, o := range c.table {
		if o.name != name {
			continue
		}
		if !o.need.granted(c) {
			return op{}, &opError{Code: codeNotGranted, Message: fmt.Sprintf("%s needs %s in the manifest", name, o.need.key)}
		}
		return o, nil
	}
	if slices.Contains(later, name) {
		return op{}, &opError{Code: codeUnknownOp, Message: name + " is not built yet"}
	}
	return op{}, &opError{Code: codeUnknownOp, Message: fmt.Sprintf("no op %.64q", name)}
}

// later are the ops that version 1 names and this build has not.
var later = []string{
	"share-file", "fetch-peer-file", "send-message", "get-task", "cancel-task",
	"peer-call", "peer-task", "peer-cancel", "http-request",
}

// Later are the names of the ops that are not built yet.
func Later() []string { return slices.Clone(later) }

// Reference is what the table says about one op.
type Reference struct {
	Name string
	// Needs is the manifest's key without which the op is refused; empty for none.
	Needs string
	// Doc is one or two sentences.
	Doc     string
	Request strictjson.Schema
	// Answers are the shapes an answer can have.
	Answers []strictjson.Schema
}

// References describes every op, in the order of the table.
func References() []Reference {
	var all []Reference
	for _, o := range table() {
		r := Reference{Name: o.name, Needs: o.need.key, Doc: o.doc, Request: strictjson.Request(o.request)}
		for _, a := range o.answers {
			r.Answers = append(r.Answers, strictjson.Answer(a))
		}
		all = append(all, r)
	}
	return all
}

package ops

import (
	"context"
	"fmt"

	"rookery/worker/ops/internal/strictjson"
)

// grant says whether a session may use an op.
type grant func(*Calls) bool

func always(*Calls) bool { return true }

// spawn is granted by the manifest's capabilities.spawn.allow.
func spawn(c *Calls) bool { return len(c.assigned.GetGrants().GetSpawnAllow()) > 0 }

// op is one row of the table.
type op struct {
	name  string
	grant grant
	// needs is the manifest key behind the grant, for the refusal.
	needs string
	// answer reads the request and does the work. What it returns is put under "ok".
	answer func(ctx context.Context, c *Calls, request []byte) (any, error)
}

// table holds every op there is, in the order in which self lists them.
func table() []op {
	return []op{
		{"self", always, "", reading(self)},
		{"log", always, "", reading(log)},
		{"delegate", spawn, "capabilities.spawn.allow", reading(delegate)},
		{"await", spawn, "capabilities.spawn.allow", reading(await)},
		{"end-delegation", spawn, "capabilities.spawn.allow", reading(endDelegation)},
	}
}

// reading puts the strict decoding of the request's struct before a handler.
func reading[Q any](handle func(context.Context, *Calls, Q) (any, error)) func(context.Context, *Calls, []byte) (any, error) {
	return func(ctx context.Context, c *Calls, data []byte) (any, error) {
		var request Q
		if err := strictjson.Decode(data, &request); err != nil {
			return nil, badRequest("%w", err)
		}
		return handle(ctx, c, request)
	}
}

// find returns the op of that name if the session may use it.
func (c *Calls) find(name string) (op, error) {
	for _, o := range c.table {
		if o.name != name {
			continue
		}
		if !o.grant(c) {
			return op{}, &opError{Code: codeNotGranted, Message: fmt.Sprintf("%s needs %s in the manifest", name, o.needs)}
		}
		return o, nil
	}
	return op{}, &opError{Code: codeUnknownOp, Message: fmt.Sprintf("no op %.64q", name)}
}

package operator

import (
	"context"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/retention"
)

// The most of a report that is answered; the counts are of all of it.
const (
	mostPruned = 1000
	mostFaults = 20
)

// Prune removes what is not kept any more.
func (s *Server) Prune(ctx context.Context, q *operatorv1.PruneRequest) (*operatorv1.PruneResponse, error) {
	if !q.GetDryRun() {
		s.log.Info().Str("by", caller(ctx)).Msg("an operator applies retention")
	}
	r, err := s.prune(ctx, q.GetDryRun())
	if err != nil {
		return nil, failure(err)
	}
	return Pruned(r), nil
}

// Pruned is a report as the API answers it. The command line calls it too, for what it did itself.
func Pruned(r retention.Report) *operatorv1.PruneResponse {
	out := &operatorv1.PruneResponse{
		Trees: uint32(r.Count(retention.Tree)), Sessions: uint32(r.Sessions()), Modules: uint32(r.Count(retention.Module)),
		Databases: uint32(r.Count(retention.Database)), Bytes: r.Bytes, KeptBytes: r.Kept,
	}
	for _, i := range r.Items[:min(len(r.Items), mostPruned)] {
		out.Pruned = append(out.Pruned, &operatorv1.Pruned{
			Kind: string(i.Kind), Name: i.Name, Capsule: i.Capsule, Sessions: uint32(i.Sessions()), Bytes: i.Bytes, EndedAt: stamp(i.Ended),
			Reason: string(i.Reason),
		})
	}
	for _, fault := range r.Faults[:min(len(r.Faults), mostFaults)] {
		out.Faults = append(out.Faults, text(fault.Error()))
	}
	return out
}

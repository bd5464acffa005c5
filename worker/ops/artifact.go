package ops

import (
	"context"

	"rookery/worker/trace"
)

type artifactRequest struct {
	ArtifactID *string `json:"artifact_id" rule:"min=1;max=256" doc:"Which artifact; absent: a new one. One that was given away before is replaced, unless append."`
	Name       string  `json:"name" rule:"max=256"`
	Parts      []part  `json:"parts" rule:"required;min=1;max=64"`
	Append     bool    `json:"append" doc:"The parts follow those that the artifact has already."`
	Last       bool    `json:"last" doc:"Nothing more is appended to it."`
}

type artifactAnswer struct {
	ArtifactID string `json:"artifact_id"`
}

// artifact puts a piece of the answer into the task's record.
func artifact(ctx context.Context, c *Calls, r artifactRequest) (artifactAnswer, error) {
	if err := c.unfinished(); err != nil {
		return artifactAnswer{}, err
	}
	if r.Append && r.ArtifactID == nil {
		return artifactAnswer{}, badRequest(`field "append" needs an "artifact_id"`)
	}
	parts, err := c.keep(ctx, r.Parts)
	if err != nil {
		return artifactAnswer{}, err
	}
	piece := pieceOf{Name: r.Name, Append: r.Append, Last: r.Last, Parts: parts}
	if r.ArtifactID != nil {
		piece.ArtifactID = *r.ArtifactID
	}
	piece, size, err := c.artifacts.add(piece)
	if err != nil {
		return artifactAnswer{}, err
	}
	if dropped, ok := c.pieces.Take(); ok {
		c.trace.Emit(c.event, trace.Artifact{
			TaskID: c.taskID(), ArtifactID: piece.ArtifactID, Name: piece.Name, Parts: len(parts), Bytes: size,
			Append: piece.Append, Last: piece.Last, Dropped: dropped,
		})
	}
	return artifactAnswer{piece.ArtifactID}, nil
}

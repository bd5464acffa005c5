package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// defaultGrace is the time budget of an end when the caller gives none.
const defaultGrace = 5 * time.Second

func grace(asked *durationpb.Duration) time.Duration {
	if asked == nil {
		return defaultGrace
	}
	return asked.AsDuration()
}

// KillDelegation ends a delegation and everything beneath it.
func (s *Server) KillDelegation(ctx context.Context, q *operatorv1.KillDelegationRequest) (*operatorv1.KillDelegationResponse, error) {
	d, err := s.delegation(q.GetDelegationId())
	if err != nil {
		return nil, err
	}
	s.log.Info().Str("delegation", d.ID).Str("by", caller(ctx)).Msg("an operator ends a delegation")
	if d, err = s.tree.Kill(ctx, d.ID, q.GetReason(), grace(q.GetGrace())); err != nil {
		return nil, failure(err)
	}
	return &operatorv1.KillDelegationResponse{Delegation: s.show(d)}, nil
}

// StopSession ends a session and everything beneath it.
func (s *Server) StopSession(ctx context.Context, q *operatorv1.StopSessionRequest) (*operatorv1.StopSessionResponse, error) {
	row, err := s.session(q.GetSessionId())
	if err != nil {
		return nil, err
	}
	s.log.Info().Str("session", row.ID).Str("by", caller(ctx)).Msg("an operator ends a session")
	if err := s.holdRoot(ctx, row); err != nil {
		return nil, failure(err)
	}
	if row, err = s.tree.StopSession(ctx, row.ID, q.GetReason(), grace(q.GetGrace())); err != nil {
		return nil, failure(err)
	}
	return &operatorv1.StopSessionResponse{Session: sessionRow(row)}, nil
}

// LaunchCapsule starts another root session.
func (s *Server) LaunchCapsule(ctx context.Context, q *operatorv1.LaunchCapsuleRequest) (*operatorv1.LaunchCapsuleResponse, error) {
	switch {
	case q.GetRootId() != "":
		return s.runRoot(ctx, q)
	case q.GetCapsule() == "":
		return nil, fault(codes.InvalidArgument, "INVALID_REQUEST", "capsule: name one, or a root with root_id")
	}
	entry, err := s.installed(q.GetCapsule(), q.GetVersion())
	if err != nil {
		return nil, err
	}
	if err := s.workdir(q.GetWorkdir()); err != nil {
		return nil, fault(codes.InvalidArgument, "INVALID_WORKDIR", err.Error())
	}
	s.launching.Lock() // ids are given one after the other
	defer s.launching.Unlock()
	root := delegation.Root{ID: s.rootID(entry.Manifest.Name), Entry: entry, Task: q.GetTask(), Workdir: q.GetWorkdir()}
	session, err := s.tree.StartRoot(ctx, root)
	if err != nil {
		return nil, failure(err)
	}
	s.log.Info().Str("session", session).Str("capsule", root.ID).Str("by", caller(ctx)).Msg("an operator launched a capsule")
	row, _ := s.ledger.Session(session)
	return &operatorv1.LaunchCapsuleResponse{Session: sessionRow(row)}, nil
}

// installed finds the capsule; no version means the only one there is.
func (s *Server) installed(name, version string) (*catalog.Entry, error) {
	var versions []string
	var found *catalog.Entry
	for _, e := range s.catalog.Entries() {
		if e.Manifest.Name != name {
			continue
		}
		versions = append(versions, e.Manifest.Version)
		if version == "" || e.Manifest.Version == version {
			found = e
		}
	}
	have := strings.Join(versions, ", ")
	switch {
	case len(versions) == 0:
		return nil, fault(codes.NotFound, "UNKNOWN_CAPSULE", fmt.Sprintf("there is no capsule %q in the store", name))
	case version == "" && len(versions) > 1:
		return nil, fault(codes.InvalidArgument, "VERSION_NEEDED", fmt.Sprintf("capsule %s is installed in more than one version (%s): name one", name, have))
	case found == nil:
		return nil, fault(codes.NotFound, "UNKNOWN_VERSION", fmt.Sprintf("there is no version %q of capsule %s in the store, only %s", version, name, have))
	}
	return found, nil
}

// rootID is name+1, name+2 …: no entry of a fleet file has a plus in its id, so a launched root is never taken for one.
func (s *Server) rootID(name string) string {
	last := 0
	for _, row := range s.ledger.Sessions(ledger.Filter{Capsule: name}) {
		number, ours := strings.CutPrefix(row.RootID, name+"+")
		if n, err := strconv.Atoi(number); ours && err == nil {
			last = max(last, n)
		}
	}
	return name + "+" + strconv.Itoa(last+1)
}

// workdir refuses a folder that a capsule must not have as its own: it would read other sessions' records, or sockets.
func (s *Server) workdir(path string) error {
	switch {
	case path == "":
		return nil
	case !filepath.IsAbs(path), strings.ContainsRune(path, 0):
		return fmt.Errorf("work folder %.200q: it must be an absolute path on the host", path)
	}
	state, err := filepath.EvalSymlinks(s.host.StateDir)
	if err != nil {
		return err
	}
	if real := resolved(path); under(real, state) || under(state, real) {
		return fmt.Errorf("work folder %.200q: it overlaps the state folder", path)
	}
	return nil
}

// resolved follows the links in the part of the path that exists.
func resolved(path string) string {
	var rest []string
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			slices.Reverse(rest)
			return filepath.Join(append([]string{real}, rest...)...)
		}
		if at == string(os.PathSeparator) {
			return filepath.Clean(path)
		}
		rest = append(rest, filepath.Base(at))
	}
}

// under reports whether path is folder or lies beneath it.
func under(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

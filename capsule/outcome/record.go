package outcome

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Record is the shape of completion.json. Field order and omissions are part of
// the format.
type Record struct {
	// DelegationID is the id the parent's launcher minted.
	DelegationID   string `json:"delegation_id"`
	CapsuleName    string `json:"capsule_name"`
	CapsuleVersion string `json:"capsule_version"`
	// SessionID is the child's session.
	SessionID string `json:"session_id"`
	Status    Status `json:"status"`
	// ResultPath is the absolute path of the child's answer; empty when it left none.
	ResultPath string `json:"result_path,omitempty"`
	// Workdir is the child's work folder, absolute.
	Workdir string `json:"workdir"`
	// DurationMS is how long the session lasted, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Detail is the cause of every status but ok, at most MaxDetailBytes.
	Detail     string   `json:"detail,omitempty"`
	ReportedBy Reporter `json:"reported_by"`
	// Delivered says whether the parent has taken the outcome.
	Delivered bool `json:"delivered"`
	// DeliveryError is why it has not, when a delivery was tried.
	DeliveryError string `json:"delivery_error,omitempty"`
}

// MaxDetailBytes bounds a detail before its cut mark: a model reads it, and the
// child may have written it.
const MaxDetailBytes = 2000

// cutMark ends a text that was cut.
const cutMark = " […]"

// MessageText is what a runtime says about an ended delegation, one item a line.
// It never holds the answer or its path. The detail comes last because it may
// hold lines of the child's own.
func (r Record) MessageText() string {
	text := fmt.Sprintf("Delegated capsule finished.\ndelegation_id: %s\ncapsule: %s@%s\nsession_id: %s\nstatus: %s\nduration_ms: %d\nworkdir: %s",
		r.DelegationID, Bare(r.CapsuleName), r.CapsuleVersion, r.SessionID, r.Status, r.DurationMS, r.Workdir)
	if r.Detail != "" {
		text += "\ndetail: " + r.Detail
	}
	return text
}

// Bounded is the record with its detail bounded by BoundDetail.
func (r Record) Bounded() Record {
	r.Detail = BoundDetail(r.Detail)
	return r
}

// BoundDetail cuts a detail of more than MaxDetailBytes at a character boundary
// and marks the cut. A detail it has cut before it leaves alone.
func BoundDetail(detail string) string {
	if head, cut := strings.CutSuffix(detail, cutMark); cut && len(head) <= MaxDetailBytes {
		return detail
	}
	head, cut := cutAt(detail, MaxDetailBytes)
	if !cut {
		return detail
	}
	return head + cutMark
}

// cutAt returns at most limit bytes of text, ending at a character boundary.
func cutAt(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	end := limit
	for end > 0 && limit-end < utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], true
}

// Bare is a capsule's name without an owner: "local/worker" is "worker". A model
// knows capsules by their bare names.
func Bare(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

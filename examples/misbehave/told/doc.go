// Package told writes down, as JSON, what the capsules of this folder are told by their host, so that a test can read it
// from an answer: refusals with their code, limit and value.
package told

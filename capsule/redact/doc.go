// Package redact removes peer file handles from text before it is kept or shown.
//
// A handle (mh1.<payload>.<mac>) can be redeemed by whoever holds it, so it is a
// secret. What replaces it, <handle:ID>, names it without being of use: ID is the
// first 16 hex digits of the SHA-256 of the whole handle, the same id traces and
// errors use.
//
// Promised: no complete handle passes [Text], [JSON] or [Writer]; text without one
// is unchanged; nothing but the handle is touched.
//
// Not promised: handles that are cut in two by the caller, so redact before
// cutting; and secrets of any other kind, which must not get into text at all.
//
// Any package may call it; every logger of both programs writes through [Writer].
package redact

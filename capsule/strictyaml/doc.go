// Package strictyaml reads configuration documents that people write by hand, and
// tells them everything that is wrong at once, with file, line, column and field.
//
// Promised: unknown and duplicate keys, wrong types, tags, merge keys, aliases that
// explode or refer to themselves, a second document, a document over 1 MiB or one
// that would take long to read are faults; one decode reports all faults of a
// document that can be parsed, in file order; text from the document appears in a
// message only quoted.
//
// Not promised: all of YAML. What a careful reader might take for two different
// things is refused: a number is not a string, "yes" is not true.
//
// The manifest and the fleet file are read with it. Errors of the syntax end the
// reading: then there is one fault.
package strictyaml

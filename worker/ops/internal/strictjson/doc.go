// Package strictjson reads the request of a guest's op into a struct and refuses
// whatever it does not understand: an old host must not overlook a restriction
// that a newer guest has asked for. The struct's tags are all there is to know: they
// also make the schema that people and programs read.
//
// Promised: unknown, repeated and missing fields, null, wrong types, values outside a
// field's rule, text that is not UTF-8
// and anything after the object are errors that name the field; names match to the
// letter, unlike encoding/json's.
//
// Not promised: any type but those that requests use: strings, booleans, float64,
// uint64, json.RawMessage for any value, slices, structs and pointers to them. A schema
// is a description, not a second judge: a text's bounds are in bytes, which JSON Schema
// cannot say.
//
// Only package ops calls it.
package strictjson

// Package strictjson reads the request of a guest's op into a struct and refuses
// whatever it does not understand: an old host must not overlook a restriction
// that a newer guest has asked for.
//
// Promised: unknown and repeated fields, null, wrong types, text that is not UTF-8
// and anything after the object are errors that name the field; names match to the
// letter, unlike encoding/json's.
//
// Not promised: any type but those that requests use: strings, booleans, float64,
// uint64, slices, structs and pointers to them.
//
// Only package ops calls it.
package strictjson

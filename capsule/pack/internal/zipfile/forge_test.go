package zipfile_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// forged is an entry whose every field can be made to lie.
type forged struct {
	name, local         string // local: beside the data; name if it is empty
	content             string
	method, flags       uint16
	localFlags          uint16 // added to the flags beside the data
	mode                uint32
	extra, localExtra   []byte
	sum, packed, size   func(uint32) uint32 // what headers say, given the truth
	localSize           func(uint32) uint32 // beside the data alone
	data                func([]byte) []byte // the packed data, given the honest one
	at                  func(uint32) uint32 // the offset in the directory
	before, after       []byte              // bytes around the entry
	descriptor          int                 // its length: 0, 12 or 16
	describe            func(uint32) uint32 // the size in the descriptor
	skipData, skipEntry bool                // in the directory only
}

func same(v uint32) uint32 { return v }

func or(f func(uint32) uint32) func(uint32) uint32 {
	if f == nil {
		return same
	}
	return f
}

func to(v uint32) func(uint32) uint32 { return func(uint32) uint32 { return v } }

func deflate(text string) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestSpeed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

// forge writes an archive of these entries; end may change its last record.
func forge(entries []forged, end ...func([]byte) []byte) []byte {
	le := binary.LittleEndian
	var out, directory []byte
	for _, e := range entries {
		out = append(out, e.before...)
		packed := []byte(e.content)
		if e.method == 8 {
			packed = deflate(e.content)
		}
		if e.data != nil {
			packed = e.data(packed)
		}
		at := uint32(len(out))
		sum := or(e.sum)(crc32.ChecksumIEEE([]byte(e.content)))
		packedSize, size := or(e.packed)(uint32(len(packed))), or(e.size)(uint32(len(e.content)))
		local := e.local
		if local == "" {
			local = e.name
		}
		flags := e.flags
		if e.descriptor > 0 {
			flags |= 8
		}
		if !e.skipEntry {
			out = le.AppendUint32(out, 0x04034b50)
			out = le.AppendUint16(out, 20)
			out = le.AppendUint16(out, flags|e.localFlags)
			out = le.AppendUint16(out, e.method)
			out = append(out, 0, 0, 0x21, 0)
			if e.descriptor > 0 {
				out = append(out, make([]byte, 12)...)
			} else {
				out = le.AppendUint32(le.AppendUint32(out, sum), packedSize)
				out = le.AppendUint32(out, or(e.localSize)(size))
			}
			out = le.AppendUint16(out, uint16(len(local)))
			out = le.AppendUint16(out, uint16(len(e.localExtra)))
			out = append(append(out, local...), e.localExtra...)
			if !e.skipData {
				out = append(out, packed...)
			}
			if e.descriptor == 16 {
				out = le.AppendUint32(out, 0x08074b50)
			}
			if e.descriptor > 0 {
				out = le.AppendUint32(le.AppendUint32(out, sum), packedSize)
				out = le.AppendUint32(out, or(e.describe)(size))
			}
		}
		out = append(out, e.after...)

		directory = le.AppendUint32(directory, 0x02014b50)
		directory = le.AppendUint16(directory, 3<<8|20)
		directory = le.AppendUint16(directory, 20)
		directory = le.AppendUint16(directory, flags)
		directory = le.AppendUint16(directory, e.method)
		directory = append(directory, 0, 0, 0x21, 0)
		directory = le.AppendUint32(directory, sum)
		directory = le.AppendUint32(directory, packedSize)
		directory = le.AppendUint32(directory, size)
		directory = le.AppendUint16(directory, uint16(len(e.name)))
		directory = le.AppendUint16(directory, uint16(len(e.extra)))
		directory = append(directory, make([]byte, 6)...)
		directory = le.AppendUint32(directory, e.mode<<16)
		directory = le.AppendUint32(directory, or(e.at)(at))
		directory = append(append(directory, e.name...), e.extra...)
	}
	last := le.AppendUint32(nil, 0x06054b50)
	last = append(last, 0, 0, 0, 0)
	last = le.AppendUint16(last, uint16(len(entries)))
	last = le.AppendUint16(last, uint16(len(entries)))
	last = le.AppendUint32(last, uint32(len(directory)))
	last = le.AppendUint32(last, uint32(len(out)))
	last = append(last, 0, 0)
	for _, change := range end {
		last = change(last)
	}
	return slices.Concat(out, directory, last)
}

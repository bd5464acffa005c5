package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// sealSize is the checksum in front of every value. bbolt itself has checksums
// for its two first pages only.
const sealSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum covers the place too: a value under another key is damage.
func sum(at place, value []byte) uint32 {
	crc := crc32.Update(0, castagnoli, []byte(at.bucket))
	crc = crc32.Update(crc, castagnoli, []byte{0})
	crc = crc32.Update(crc, castagnoli, []byte(at.key))
	crc = crc32.Update(crc, castagnoli, []byte{0})
	return crc32.Update(crc, castagnoli, value)
}

func seal(at place, value []byte) []byte {
	sealed := make([]byte, sealSize, sealSize+len(value))
	binary.BigEndian.PutUint32(sealed, sum(at, value))
	return append(sealed, value...)
}

func unseal(at place, sealed []byte) ([]byte, error) {
	if len(sealed) < sealSize || binary.BigEndian.Uint32(sealed) != sum(at, sealed[sealSize:]) {
		return nil, fmt.Errorf("row %.80q in %.80q: %w", at.key, at.bucket, ErrDamaged)
	}
	return sealed[sealSize:], nil
}

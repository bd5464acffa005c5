package sandbox

import (
	"encoding/binary"
	"fmt"
	"os"
)

// The engine compares most of its settings with those that native code was made
// under, but not all, and does not notice a file that was cut short. So Compile adds
// a trailer: a mark, the length of the code, the engine key padded with zeros.
const (
	sealMark   = "rookery native 1"
	sealKeyLen = 64
	sealLen    = len(sealMark) + 8 + sealKeyLen
)

func seal(code []byte) []byte {
	trailer := make([]byte, sealLen)
	n := copy(trailer, sealMark)
	binary.LittleEndian.PutUint64(trailer[n:], uint64(len(code)))
	copy(trailer[n+8:], EngineKey())
	return append(code, trailer...)
}

// checkSeal reads the trailer. It protects against mistakes, not against an attacker:
// who can write native code can write a trailer. The digest that the worker checks
// before it calls Load is what protects.
func checkSeal(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size < int64(sealLen) {
		return fmt.Errorf("%d bytes are not native code", size)
	}
	trailer := make([]byte, sealLen)
	if _, err := f.ReadAt(trailer, size-int64(sealLen)); err != nil {
		return err
	}
	mark, rest := string(trailer[:len(sealMark)]), trailer[len(sealMark):]
	if mark != sealMark {
		return fmt.Errorf("not native code, or cut short")
	}
	if n := binary.LittleEndian.Uint64(rest); n != uint64(size)-uint64(sealLen) {
		return fmt.Errorf("%d bytes of native code where %d were written", size-int64(sealLen), n)
	}
	if key := trimZeros(rest[8:]); key != EngineKey() {
		return fmt.Errorf("made for engine %.*q, this worker has %q", sealKeyLen, key, EngineKey())
	}
	return nil
}

func trimZeros(b []byte) string {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b)
}

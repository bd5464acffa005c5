//go:build wasip1

package murmur

import "unsafe"

//go:wasmimport murmur call
func hostCall(op unsafe.Pointer, opLen uint32, request unsafe.Pointer, requestLen uint32) int64

//go:wasmimport murmur take
func hostTake(dst unsafe.Pointer, dstLen uint32) uint32

// exchange sends one request and collects the response. The caller holds the lock.
func exchange(op string, request []byte) ([]byte, error) {
	name := []byte(op)
	n := hostCall(unsafe.Pointer(unsafe.SliceData(name)), uint32(len(name)),
		unsafe.Pointer(unsafe.SliceData(request)), uint32(len(request)))
	return collect(n, func(dst []byte) int {
		return int(hostTake(unsafe.Pointer(unsafe.SliceData(dst)), uint32(len(dst))))
	})
}

//go:build !wasip1

package murmur

// exchange has no host to talk to here.
func exchange(string, []byte) ([]byte, error) { return nil, ErrOutside }

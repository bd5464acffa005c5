package wasi

import "golang.org/x/sys/unix"

// Quota bounds the bytes and the names that guests may keep in a folder. It counts the
// lengths of files and symbolic links (a sparse file by its whole length), each file
// once however many names it has; and every name: of files, directories and links.
//
// It is exact for what goes through one Host at a time. Use Measure to start from what
// is there already. Methods may be called by the goroutine that owns the Host.
type Quota struct {
	maxBytes, maxNames int64
	bytes, names       int64
	open               map[fileID]*node
}

type fileID struct{ dev, ino uint64 }

// node is a regular file while a guest has it open: its length as the quota has it,
// shared by all descriptors of the file. A file that has lost its last name keeps its
// bytes charged until it is closed.
type node struct {
	id   fileID
	size int64
	refs int
	gone bool
}

// NewQuota returns an unused quota. A limit of zero or less is no limit.
func NewQuota(maxBytes, maxNames int64) *Quota {
	return &Quota{maxBytes: maxBytes, maxNames: maxNames, open: map[fileID]*node{}}
}

// Used returns what is charged now.
func (q *Quota) Used() (bytes, names int64) { return q.bytes, q.names }

// opened finds or makes the node of a file just opened. A length other than the one
// known is the work of somebody else, and is taken over.
func (q *Quota) opened(st *unix.Stat_t) *node {
	id := fileID{st.Dev, st.Ino}
	n := q.open[id]
	if n == nil {
		n = &node{id: id, size: st.Size}
		q.open[id] = n
	}
	n.refs++
	q.resized(n, st.Size)
	return n
}

func (q *Quota) closed(n *node) {
	if n.refs--; n.refs > 0 {
		return
	}
	delete(q.open, n.id)
	if n.gone {
		q.resized(n, 0)
	}
}

// resized charges or gives back the difference to a new length.
func (q *Quota) resized(n *node, size int64) {
	q.bytes = max(0, q.bytes+size-n.size)
	n.size = size
}

// limit returns how long the file may become at most.
func (q *Quota) limit(n *node) int64 {
	if q.maxBytes <= 0 {
		return maxOffset
	}
	return n.size + max(0, q.maxBytes-q.bytes)
}

func (q *Quota) mayName() bool { return q == nil || q.maxNames <= 0 || q.names < q.maxNames }

func (q *Quota) named() {
	if q != nil {
		q.names++
	}
}

func (q *Quota) mayAdd(bytes int64) bool {
	return q == nil || q.maxBytes <= 0 || bytes <= q.maxBytes-q.bytes
}

func (q *Quota) added(bytes int64) {
	if q != nil {
		q.bytes += bytes
	}
}

// weighs reports whether the length of such a thing is charged.
func weighs(mode uint32) bool {
	return mode&unix.S_IFMT == unix.S_IFREG || mode&unix.S_IFMT == unix.S_IFLNK
}

// unnamed gives back the name of something that was st before the name went, and its
// bytes if that was the last one.
func (q *Quota) unnamed(st *unix.Stat_t) {
	q.names = max(0, q.names-1)
	if !weighs(st.Mode) || st.Nlink > 1 {
		return
	}
	if n := q.open[fileID{st.Dev, st.Ino}]; n != nil {
		n.gone = true
		return
	}
	q.bytes = max(0, q.bytes-st.Size)
}

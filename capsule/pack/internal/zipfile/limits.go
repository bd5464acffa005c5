package zipfile

const (
	// MaxArchive bounds the archive itself, in bytes: what is packed is a module and
	// a few files, and the module is bounded below it.
	MaxArchive = 256 << 20
	// MaxUnpacked bounds the sizes of all entries together, in bytes. It is the
	// format's.
	MaxUnpacked = 500_000_000
	// MaxEntries bounds the entries. A manifest may name 256 files.
	MaxEntries = 1024

	// maxDirectory bounds the directory, which is held in memory.
	maxDirectory = 1 << 20
	// maxName bounds a name, in bytes; a manifest can name nothing longer.
	maxName = 1024
	// maxRatio is how many bytes one byte of deflated data can become at most: 258
	// for a symbol of two bits.
	maxRatio = 1032
)

package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

// in makes a change of one number of a page.
func in[N uint16 | uint32 | uint64](page, offset int, n N) func(image) {
	return func(f image) {
		switch b, n := f.page(page)[offset:], any(n); n := n.(type) {
		case uint16:
			set16(b, n)
		case uint32:
			set32(b, n)
		case uint64:
			set64(b, n)
		}
	}
}

// inMeta makes a change of one number of both meta pages, under a good checksum.
func inMeta[N uint32 | uint64](offset int, n N) func(image) {
	return func(f image) {
		f.metas(func(b []byte) { in(0, offset, n)(image(b)) })
	}
}

// inFew makes a change of one number of the inline page.
func inFew[N uint16 | uint32 | uint64](offset int, n N) func(image) {
	return func(f image) { in(0, offset, n)(image(f.few())) }
}

func key(page, entries, offset int, to byte) func(image) {
	return func(f image) { f.page(page)[firstElement+16*entries+offset] = to }
}

func pageIs(id int, flags uint16, entries ...entry) func(image) {
	return func(f image) { f.put(id, flags, entries...) }
}

// rowsIs replaces the root: one bucket.
func rowsIs(value string) func(image) {
	return pageIs(2, leafPage, entry{flags: bucketEntry, key: "rows", value: value})
}

func both(changes ...func(image)) func(image) {
	return func(f image) {
		for _, change := range changes {
			change(f)
		}
	}
}

var broken = map[string]struct {
	change func(image)
	says   string
}{
	"a magic that is not bbolt's":         {inMeta(metaMagic, uint32(1)), "neither of the first two pages is valid"},
	"another version":                     {inMeta(metaVersion, uint32(3)), "neither of the first two pages is valid"},
	"wrong checksums":                     {both(in(0, metaSum, uint64(1)), in(1, metaSum, uint64(1))), "neither of the first two pages is valid"},
	"a page size that is no power of two": {inMeta(metaPageSize, uint32(5000)), "pages of 5000 bytes"},
	"a page size of nothing":              {inMeta(metaPageSize, uint32(0)), "pages of 0 bytes"},
	"a second page that is not where it says": {both(inMeta(metaPageSize, uint32(8192)), in(0, metaSum, uint64(1))),
		"the second page lies at 4096 and speaks of pages of 8192 bytes"},
	"a newer second page that is not where it says": {func(f image) {
		whole := append(image(nil), f[:pageSize]...)
		both(inMeta(metaPageSize, uint32(8192)), inMeta(metaTx, uint64(7)))(f)
		copy(f, whole)
	}, "the second page lies at 4096 and speaks of pages of 8192 bytes"},
	"more pages than the file":           {inMeta(metaPages, uint64(1000)), "cut to 12 of 1000 pages"},
	"no pages":                           {inMeta(metaPages, uint64(0)), "page 2 of 0"},
	"a root behind the end":              {inMeta(metaRoot, uint64(12)), "page 12 of 12"},
	"a root that is a meta page":         {inMeta(metaRoot, uint64(1)), "page 1 is referred to twice"},
	"a free list behind the end":         {inMeta(metaFreelist, uint64(1<<60)), "list of free pages: damaged: page 1152921504606846976 of 12"},
	"a free list that is a leaf":         {both(inMeta(metaFreelist, uint64(8)), pageIs(8, leafPage)), "page 8 is no empty list of free pages"},
	"a free list with pages":             {both(inMeta(metaFreelist, uint64(8)), in(8, pageCount, uint16(1))), "page 8 is no empty list of free pages"},
	"a free list that is also a child":   {both(inMeta(metaFreelist, uint64(8)), pageIs(3, branchPage, entry{key: "a", child: 4}, entry{key: "m", child: 8})), "page 8 is referred to twice"},
	"a page with another id":             {in(4, pageID, uint64(9)), "page 4 calls itself 9"},
	"a page without type":                {in(4, pageFlags, uint16(0)), "page 4 is neither branch nor leaf: flags 0x0"},
	"a page of two types":                {in(4, pageFlags, uint16(3)), "page 4 is neither branch nor leaf: flags 0x3"},
	"a page that is a free list":         {in(4, pageFlags, uint16(freelistPage)), "page 4 is neither branch nor leaf: flags 0x10"},
	"an overflow behind the end":         {in(7, pageOverflow, uint32(5)), "overflow of page 7: damaged: page 12 of 12"},
	"an overflow beyond every row":       {in(7, pageOverflow, uint32(1<<31)), "page 7 has an overflow of 2147483648 pages"},
	"an overflow over a page in use":     {both(in(4, pageOverflow, uint32(1)), in(5, pageOverflow, uint32(1))), "page 4 has 60 bytes and an overflow of 1 pages"},
	"an overflow without data":           {in(7, pageOverflow, uint32(1)), "page 7 has 60 bytes and an overflow of 1 pages"},
	"an overflow that was lost":          {in(5, pageOverflow, uint32(0)), "page 5: damaged: element 0 has a key of 1 and a value of 4100 bytes at 32 of 4096"},
	"more elements than fit":             {in(4, pageCount, uint16(0xffff)), "page 4: damaged: 65535 elements in 4096 bytes"},
	"an element too many":                {in(4, pageCount, uint16(3)), "page 4: damaged: element 0 lies at 48 instead of 64"},
	"an element too few":                 {in(4, pageCount, uint16(1)), "page 4: damaged: element 0 lies at 48 instead of 32"},
	"an element elsewhere":               {in(4, firstElement+leafPosition, uint32(1<<31)), "page 4: damaged: element 0 lies at 2147483664 instead of 48"},
	"a branch's element elsewhere":       {in(3, secondElement, uint32(0)), "page 3: damaged: element 1 lies at 32 instead of 65"},
	"no key":                             {in(4, firstElement+leafKeySize, uint32(0)), "page 4: damaged: element 0 has a key of 0"},
	"a key beyond the page":              {in(4, firstElement+leafKeySize, uint32(1<<32-1)), "page 4: damaged: element 0 has a key of 4294967295"},
	"a value beyond the page":            {in(4, secondElement+leafValueSize, uint32(1<<32-1)), "page 4: damaged: element 1 has a key of 1 and a value of 4294967295"},
	"a value that reaches into the next": {in(4, firstElement+leafValueSize, uint32(6)), "page 4: damaged: element 1 lies at 54 instead of 55"},
	"keys in disorder":                   {pageIs(7, leafPage, row("rows", "x", "3"), row("rows", "w", "4")), "page 7: damaged: key 1 is not behind the one before"},
	"a key twice":                        {pageIs(7, leafPage, row("rows", "x", "3"), row("rows", "x", "4")), "page 7: damaged: key 1 is not behind the one before"},
	"a parent with another key":          {key(3, 3, 1, 'l'), "page 5 does not begin with the key that its parent has"},
	"a child without rows":               {pageIs(7, leafPage), "page 7 does not begin with the key that its parent has"},
	"a child with the next one's keys":   {pageIs(4, leafPage, row("rows", "a", "1"), row("rows", "m", "2")), "page 4 reaches into the next"},
	"a child behind the end":             {in(3, firstElement+branchChild, uint64(12)), "page 12 of 12"},
	"two parents' child":                 {in(3, secondElement+branchChild, uint64(4)), "page 4 is referred to twice"},
	"a child that is its own parent":     {in(3, firstElement+branchChild, uint64(3)), "page 3 is referred to twice"},
	"a child that is an overflow":        {in(3, secondElement+16+branchChild, uint64(6)), "page 6 is referred to twice"},
	"a branch with one child":            {pageIs(3, branchPage, entry{key: "a", child: 4}), "page 3 is a branch of 1 children"},
	"a branch without children":          {pageIs(3, branchPage), "page 3 is a branch of 0 children"},
	"children of different heights": {both(
		pageIs(3, branchPage, entry{key: "a", child: 4}, entry{key: "x", child: 9}),
		pageIs(9, branchPage, entry{key: "x", child: 7}, entry{key: "z", child: 10}),
		pageIs(10, leafPage, row("rows", "z", "5"))), "children of page 3 have different heights"},
	"a row among the buckets":        {in(2, secondElement+leafFlags, uint32(0)), `page 2: damaged: "rows" is no bucket: flags 0x0, 16 bytes`},
	"a bucket with unknown flags":    {in(2, secondElement+leafFlags, uint32(3)), `page 2: damaged: "rows" is no bucket: flags 0x3, 16 bytes`},
	"a bucket that is cut":           {rowsIs("12345678"), `page 2: damaged: "rows" is no bucket: flags 0x1, 8 bytes`},
	"a bucket with root and more":    {rowsIs(bucketAt(3, "x")), `bucket "rows": damaged: 1 bytes behind its header`},
	"a bucket's root behind the end": {rowsIs(bucketAt(99, "")), `bucket "rows": damaged: page 99 of 12`},
	"an inline page that is cut":     {rowsIs(bucketAt(0, "123456789")), `bucket "rows": damaged: an inline page of 9 bytes`},
	"an inline page with room":       {rowsIs(bucketAt(0, string(pageOf(0, leafPage))+"x")), `bucket "rows": damaged: an inline page of 16 bytes in 17`},
	"an inline page with an id":      {inFew(pageID, uint64(4)), `bucket "few": damaged: an inline page with id 4`},
	"an inline branch":               {inFew(pageFlags, uint16(1)), `bucket "few": damaged: an inline page with id 0, flags 0x1`},
	"an inline page with overflow":   {inFew(pageOverflow, uint32(1)), `bucket "few": damaged: an inline page with id 0, flags 0x2, overflow 1`},
	"an inline page with more rows":  {inFew(pageCount, uint16(3)), `bucket "few": damaged: 3 elements in 60 bytes`},
	"a bucket in an inline bucket":   {inFew(firstElement+leafFlags, uint32(1)), `bucket "few": damaged: row "a" has flags 0x1`},
	"a bucket in a bucket":           {in(7, firstElement+leafFlags, uint32(1)), `bucket "rows": page 7: damaged: row "x" has flags 0x1`},
	"a row with unknown flags":       {in(7, firstElement+leafFlags, uint32(2)), `bucket "rows": page 7: damaged: row "x" has flags 0x2`},
}

func TestAFileThatBboltCouldNotWalkIsSetAside(t *testing.T) {
	t.Parallel()
	for name, c := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newImage(12)
			c.change(f)
			assert.Contains(t, warningFor(t, f), c.says)
		})
	}
}

func TestABranchUnderTooManyOthersIsSetAside(t *testing.T) {
	t.Parallel()
	const levels = 45
	f := newImage(10 + 2*levels)
	// Every branch has one leaf, and the next branch.
	f.put(2, leafPage, entry{flags: bucketEntry, key: "rows", value: bucketAt(10, "")})
	for n := range levels {
		here, leaf, last := 10+2*n, 11+2*n, fmt.Sprint(999-n)
		f.put(here, branchPage, entry{key: "0", child: uint64(here + 2)}, entry{key: last, child: uint64(leaf)})
		f.put(leaf, leafPage, row("rows", last, ""))
	}
	assert.Contains(t, warningFor(t, f), "is a branch under 38 others")
}

func TestAWholeFileMadeByHandIsOpened(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(image){
		"as it is":                     func(image) {},
		"with an empty free list":      inMeta(metaFreelist, uint64(8)),
		"with its older meta damaged":  in(1, metaSum, uint64(1)),
		"with its newer meta damaged":  in(0, metaRoot, uint64(1)),
		"with junk in a page not used": in(9, 0, uint64(1<<63)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newImage(12)
			change(f)
			path := filepath.Join(folder(t), "state.db")
			require.NoError(t, os.WriteFile(path, f, 0o600))
			s := open(t, path)
			assert.Equal(t, map[string]string{"a": "1", "b": "2"}, rows(t, s, "few"))
			assert.Equal(t, map[string]string{"a": "1", "b": "2", "m": string(make([]byte, pageSize)), "x": "3", "y": "4"}, rows(t, s, "rows"))
			put(t, s, "new", "5")
			assert.Equal(t, "5", rows(t, s, "rows")["new"])
		})
	}
}

// warningFor opens a file with this content and returns what Open warns of.
func warningFor(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(folder(t), "state.db")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	s, warning, err := store.Open(path, patience)
	require.NoError(t, err)
	assert.Empty(t, rows(t, s, "rows"))
	require.NoError(t, s.Close())
	return warning
}

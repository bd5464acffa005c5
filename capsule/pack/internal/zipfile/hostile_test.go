package zipfile_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing/fstest"

	"rookery/capsule/pack/internal/zipfile"
)

// fixture is what other writers are given.
var fixture = fstest.MapFS{
	"long.txt":  {Data: []byte(strings.Repeat("line\n", 1000)), Mode: 0o644},
	"sub/ü.txt": {Data: []byte("x"), Mode: 0o600},
}

type attack struct {
	data []byte
	want string
}

// hostile is an archive for each thing that is refused.
func hostile() map[string]attack {
	one := func(e forged) []byte {
		if e.name == "" {
			e.name = "a"
		}
		return forge([]forged{e})
	}
	two := func(a, b forged) []byte { return forge([]forged{a, b}) }
	plain := forged{name: "a", content: "text"}
	put := func(at int, value uint32, width int) func([]byte) []byte {
		return func(end []byte) []byte {
			if width == 2 {
				binary.LittleEndian.PutUint16(end[at:], uint16(value))
			} else {
				binary.LittleEndian.PutUint32(end[at:], value)
			}
			return end
		}
	}
	plus := func(n uint32) func(uint32) uint32 { return func(v uint32) uint32 { return v + n } }
	many := make([]forged, zipfile.MaxEntries+1)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	bombs := make([]forged, 6)
	for i := range bombs {
		bombs[i] = forged{name: fmt.Sprint(i), content: strings.Repeat("\x00", 100<<10), method: 8, size: to(100_000_000), packed: to(100_000)}
	}
	zip64 := []byte("\x01\x00\x08\x0012345678")
	return map[string]attack{
		"nothing":                         {nil, "too short"},
		"text":                            {[]byte(strings.Repeat("no archive ", 9)), "does not end"},
		"no entry":                        {forge(nil), "it is empty"},
		"a comment":                       {forge([]forged{plain}, put(20, 4, 2), func(b []byte) []byte { return append(b, "note"...) }), "does not end"},
		"something behind it":             {append(one(plain), "tail"...), "does not end"},
		"something before it":             {one(forged{before: []byte("#!/bin/sh\n"), content: "x"}), "10 bytes before the first entry"},
		"something between":               {two(plain, forged{name: "b", before: []byte("hidden")}), "6 bytes after it belong to nothing"},
		"something before the directory":  {one(forged{after: []byte("hidden")}), "6 bytes after it belong to nothing"},
		"parts":                           {forge([]forged{plain}, put(4, 1, 2)), "split archive"},
		"fewer entries than it says":      {forge([]forged{plain}, put(8, 2, 2), put(10, 2, 2)), "directory is damaged"},
		"more entries than it says":       {forge([]forged{plain, {name: "b"}}, put(8, 1, 2), put(10, 1, 2)), "more than its entries"},
		"two counts":                      {forge([]forged{plain}, put(8, 2, 2)), "split archive"},
		"too many entries":                {forge(many), "1025 entries, the limit is 1024"},
		"a directory elsewhere":           {forge([]forged{plain}, put(16, 3, 4)), "not where its end says"},
		"a huge directory":                {forge([]forged{plain}, put(12, 1<<30, 4)), "the limit is 1048576"},
		"an encrypted entry":              {one(forged{flags: 1}), "encrypted"},
		"a masked entry":                  {one(forged{flags: 1 << 13}), "flags 0x2000 are not known"},
		"an unknown method":               {one(forged{method: 12}), "its method 12 is not read"},
		"a link":                          {one(forged{content: "/etc/passwd", mode: 0o120777}), "it is a link"},
		"a device":                        {one(forged{mode: 0o020666}), "no regular file"},
		"a pipe":                          {one(forged{mode: 0o010666}), "no regular file"},
		"a folder's mode on a file":       {one(forged{mode: 0o040755}), "disagree on whether it is a folder"},
		"a file's mode on a folder":       {one(forged{name: "a/", mode: 0o100755}), "disagree on whether it is a folder"},
		"a folder with content":           {one(forged{name: "a/", content: "x"}), "folder with content"},
		"a NUL in a name":                 {one(forged{name: "a\x00b"}), "what no name should"},
		"a line feed in a name":           {one(forged{name: "a\nb"}), "what no name should"},
		"a name that is no UTF-8":         {one(forged{name: "a\xff"}), "what no name should"},
		"a backslash":                     {one(forged{name: `..\a`}), "backslash"},
		"a drive":                         {one(forged{name: `C:\a`}), "backslash"},
		"a dot":                           {one(forged{name: "./a"}), `empty or "." segment`},
		"only a dot":                      {one(forged{name: "."}), `empty or "." segment`},
		"two slashes":                     {one(forged{name: "a//b"}), `empty or "." segment`},
		"a long name":                     {one(forged{name: strings.Repeat("n", 1025)}), "the limit is 1024"},
		"no name":                         {forge([]forged{{content: "x"}}), "no name"},
		"another name beside the data":    {one(forged{local: "b"}), "disagree"},
		"a longer name beside the data":   {one(forged{local: "aa"}), "disagree"},
		"another size beside the data":    {one(forged{content: "text", localSize: plus(1)}), "disagree"},
		"other flags beside the data":     {one(forged{localFlags: 1}), "disagree"},
		"a lie in a descriptor":           {one(forged{content: "text", method: 8, descriptor: 16, describe: plus(1)}), "disagree"},
		"a lie in a short descriptor":     {one(forged{content: "text", method: 8, descriptor: 12, describe: plus(1)}), "disagree"},
		"no descriptor where one is said": {one(forged{content: "text", flags: 8}), "no descriptor"},
		"zip64 by its extra field":        {one(forged{extra: zip64}), "zip64"},
		"zip64 beside the data":           {one(forged{localExtra: zip64}), "zip64"},
		"zip64 by its size":               {one(forged{size: to(0xffffffff)}), "zip64"},
		"damaged extra fields":            {one(forged{extra: []byte("abc")}), "extra fields are damaged"},
		"an extra field past its end":     {one(forged{localExtra: []byte("UT\xff\x00")}), "extra fields are damaged"},
		"a second name":                   {one(forged{extra: []byte("\x75\x70\x01\x00x")}), "second name"},
		"an entry that is not there":      {two(plain, forged{name: "b", skipEntry: true}), "overlaps"},
		"one entry's data for two":        {two(plain, forged{name: "b", content: "text", at: to(0)}), "overlaps"},
		"an entry within another":         {two(forged{name: "a", content: strings.Repeat("x", 200)}, forged{name: "b", at: to(40)}), "overlaps"},
		"an entry at nothing":             {one(forged{content: "text", at: plus(4)}), "4 bytes before the first entry"},
		"an entry past the end":           {one(forged{at: to(1 << 31)}), "before the first entry"},
		"data past the end":               {one(forged{content: "text", packed: plus(1), size: plus(1)}), "overlaps"},
		"stored in another size":          {one(forged{content: "text", size: plus(1)}), "in 4 bytes and not in 5"},
		"a ratio that cannot be":          {one(forged{content: "text", method: 8, size: to(1 << 20)}), "cannot come of"},
		"too much in all":                 {forge(bombs), "the limit is 500000000"},
		"less than its size":              {one(forged{content: "text", method: 8, size: plus(1)}), "unpacks to 4 bytes, its size is 5"},
		"more than its size":              {one(forged{content: "text", method: 8, size: to(3)}), "more than its size"},
		"another checksum":                {one(forged{content: "text", method: 8, sum: plus(1)}), "checksum disagree"},
		"no deflated data":                {one(forged{content: "text", method: 8, data: func([]byte) []byte { return []byte("\xff\xff") }}), "flate: corrupt input"},
		"cut deflated data":               {one(forged{content: "text", method: 8, data: func(b []byte) []byte { return b[:2] }}), "unexpected EOF"},
		"something behind deflated data":  {one(forged{content: "text", method: 8, data: func(b []byte) []byte { return append(b, "hidden"...) }}), "follows its deflated data"},
	}
}

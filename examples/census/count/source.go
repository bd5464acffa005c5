package count

import (
	"bytes"
	"sort"
)

// What a byte belongs to.
const (
	inCode    byte = iota
	inComment      // a comment, its marks included
	inText         // a string or the like, its quotes included
)

// source is a text whose bytes have been sorted.
type source struct {
	text  []byte
	class []byte // one for each byte of text
	// code is the text with blanks for comments and quotes for strings, so that what looks like code is; same length,
	// same line ends.
	code   []byte
	starts []int // offset of each line's first byte
}

func read(text []byte, l language) *source {
	// Some editors start a file with this mark; no language means anything by it.
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	lex := &lexer{text: text, class: make([]byte, len(text))}
	l.lex(lex)
	s := &source{text: text, class: lex.class, code: bytes.Clone(text)}
	for i, c := range text {
		if i == 0 || text[i-1] == '\n' {
			s.starts = append(s.starts, i)
		}
		switch {
		case c == '\n':
		case s.class[i] == inComment:
			s.code[i] = ' '
		case s.class[i] == inText:
			s.code[i] = '"'
		}
	}
	return s
}

// line is the number, from 1, of the line that holds the byte at offset.
func (s *source) line(offset int) int {
	return sort.SearchInts(s.starts, offset+1)
}

// lines counts all but files and functions.
func (s *source) lines() Sum {
	sum := Sum{Lines: len(s.starts)}
	for n, start := range s.starts {
		end := len(s.text)
		if n+1 < len(s.starts) {
			end = s.starts[n+1]
		}
		blank, comment := true, true
		for i := start; i < end; i++ {
			if !isSpace(s.text[i]) {
				blank = false
				comment = comment && s.class[i] == inComment
			}
		}
		switch {
		case blank:
			sum.Blank++
		case comment:
			sum.Comment++
		default:
			sum.Code++
		}
	}
	return sum
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' // tab, line feed, vertical tab, form feed, carriage return
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

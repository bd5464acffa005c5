package pack

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
)

const (
	// entryName is the function that a command begins with, by WASI preview 1.
	entryName = "_start"
	// sectionExport and kindFunction are from the binary format of WebAssembly.
	sectionExport = 7
	kindFunction  = 0
)

var errCut = errors.New("the module ends in the middle of a section")

// CheckStart reads the module and returns why it certainly cannot start: it was cut
// short, or exports no function _start. What it imports and whether its code is
// sound, the worker judges.
func (p *Package) CheckStart() error {
	module, err := p.OpenModule()
	if err != nil {
		return err
	}
	defer module.Close()
	if err := checkStart(module); err != nil {
		return fmt.Errorf("module %s: %w (%s)", filepath.Join(p.Path, p.module), err, CodeModule)
	}
	return nil
}

// checkStart goes from section to section of a module and keeps nothing of it.
func checkStart(module io.Reader) error {
	if err := CheckModule(module); err != nil {
		return err
	}
	r, starts := bufio.NewReader(module), false
	for {
		section, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		size, err := number(r)
		if err != nil {
			return err
		}
		body := &io.LimitedReader{R: r, N: int64(size)}
		if section == sectionExport {
			if starts, err = exportsStart(bufio.NewReader(body)); err != nil {
				return err
			}
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if body.N > 0 {
			return errCut
		}
	}
	if !starts {
		return fmt.Errorf("it exports no function %s: not a command", entryName)
	}
	return nil
}

// exportsStart reads the export section.
func exportsStart(r *bufio.Reader) (bool, error) {
	n, err := number(r)
	if err != nil {
		return false, err
	}
	for range n {
		name, err := nameOf(r)
		if err != nil {
			return false, err
		}
		kind, err := r.ReadByte()
		if err != nil {
			return false, cut(err)
		}
		if _, err := number(r); err != nil {
			return false, err
		}
		if name == entryName && kind == kindFunction {
			return true, nil
		}
	}
	return false, nil
}

// nameOf reads a name, of which no more is kept than tells it from _start.
func nameOf(r *bufio.Reader) (string, error) {
	size, err := number(r)
	if err != nil {
		return "", err
	}
	if size != uint32(len(entryName)) {
		_, err := io.CopyN(io.Discard, r, int64(size))
		return "", cut(err)
	}
	var name [len(entryName)]byte
	_, err = io.ReadFull(r, name[:])
	return string(name[:]), cut(err)
}

// number reads an unsigned LEB128 of at most 32 bits.
func number(r io.ByteReader) (uint32, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, cut(err)
	}
	if n > math.MaxUint32 {
		return 0, fmt.Errorf("a number in it is %d, above 32 bits", n)
	}
	return uint32(n), nil
}

// cut says of an end that came too early what it means.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

package repository

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const idDigits = 32 // hexadecimal, of 128 bits

func (r *Repository) idFile() string { return filepath.Join(r.Common, "scratchpad") }

// ID returns the id of the repository, 32 hexadecimal digits that must not be shown whole. It
// is "" if the repository has none, or if the file holds anything else.
func (r *Repository) ID() string {
	text, err := read(r.idFile(), maxFile)
	if id := string(text); err == nil && isID(id) {
		return id
	}
	return ""
}

// MakeID returns the id of the repository, and writes one if it has none. It returns "" if
// the id cannot be written, or if the file holds anything else: then the repository is known by
// the path of its common directory. Processes that make an id at the same time get the same one.
func (r *Repository) MakeID() string {
	if id := r.ID(); id != "" {
		return id
	}
	r.write()
	return r.ID()
}

// write makes the file whole, or not at all: a reader never sees a part of an id. It replaces
// no file. The id is on the disk before anything is stored under it.
func (r *Repository) write() error {
	f, err := os.CreateTemp(r.Common, "scratchpad-*") // with O_EXCL, mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var bits [idDigits / 2]byte
	rand.Read(bits[:])
	_, err = f.WriteString(hex.EncodeToString(bits[:]))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), r.idFile()); err != nil {
		return err
	}
	dir, err := os.Open(r.Common)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Forget removes the id. Its error is nil if there is none.
func (r *Repository) Forget() error {
	if r.ID() == "" {
		return nil
	}
	if err := os.Remove(r.idFile()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func isID(text string) bool {
	bits, err := hex.DecodeString(text)
	return err == nil && len(bits) == idDigits/2 && hex.EncodeToString(bits) == text
}

package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
)

// A file is packed into a bundle under a name.
type file struct {
	name, from string
	mode       fs.FileMode
}

// zipped packs a manifest and files.
func zipped(manifest []byte, files ...file) ([]byte, error) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	if err := add(z, "manifest.json", 0o644, manifest); err != nil {
		return nil, err
	}
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		if err := add(z, f.name, f.mode, content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return packed.Bytes(), err
}

// add packs one file. Its sizes stand before its content, which zip.Writer.Create does not do:
// a reader that does not begin at the end of the bundle needs them there.
func add(z *zip.Writer, name string, mode fs.FileMode, content []byte) error {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	h := &zip.FileHeader{
		Name: name, Method: zip.Deflate, CreatorVersion: 20, ReaderVersion: 20, CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(content)),
	}
	h.SetMode(mode)
	//lint:ignore SA1019 CreateRaw takes the time from nowhere else.
	h.ModifiedDate = 1<<5 | 1 // 1 January 1980
	raw, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = raw.Write(packed.Bytes())
	return err
}

// indented encodes a value with its keys in a fixed order.
func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// write writes a new file into the folder of the release.
func (r *release) write(name string, content []byte) error {
	sum := sha256.Sum256(content)
	r.sums[name] = hex.EncodeToString(sum[:])
	return os.WriteFile(r.dist+"/"+name, content, 0o644)
}

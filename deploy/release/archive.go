package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name    string
	mode    int64
	content []byte
}

// archive packs the program with its licences and its description.
func (s source) archive(b build) ([]byte, error) {
	entries, err := s.texts("LICENSE", "NOTICE", "README.md")
	if err != nil {
		return nil, err
	}
	entries = append(entries, entry{b.program(), 0o755, b.binary})
	if strings.HasPrefix(b.system, "windows/") {
		return zipped(entries, s.time)
	}
	unit, err := s.texts("deploy/scratchpad.service")
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(b.system, "linux/") {
		entries = append(entries, unit...)
	}
	return tarred(entries, s.time)
}

// texts reads files of the clone.
func (s source) texts(names ...string) (entries []entry, err error) {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{filepath.Base(name), 0o644, content})
	}
	return entries, nil
}

func tarred(entries []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	packed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, e := range entries {
		err := w.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.content)), ModTime: at,
			Format: tar.FormatUSTAR})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = packed.Close()
	return b.Bytes(), err
}

func zipped(entries []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(e.mode))
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

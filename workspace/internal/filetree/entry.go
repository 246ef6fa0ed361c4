package filetree

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"
)

// entryInfo is a file or a folder.
type entryInfo struct {
	name string
	size int64
	time time.Time
	dir  bool
}

func (e entryInfo) Name() string       { return e.name }
func (e entryInfo) Size() int64        { return e.size }
func (e entryInfo) ModTime() time.Time { return e.time }
func (e entryInfo) IsDir() bool        { return e.dir }
func (e entryInfo) Sys() any           { return nil }
func (e entryInfo) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openFile can also seek, and read at an offset.
type openFile struct {
	info entryInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

// Size hides the Size of the Reader.
func (f *openFile) Size() int64 { return f.info.size }

type openFolder struct {
	info    entryInfo
	entries []fs.DirEntry
	path    string
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.path, Err: errors.New("is a folder")}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		all := f.entries
		f.entries = nil
		return all, nil
	}
	if len(f.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.entries))
	some := f.entries[:n]
	f.entries = f.entries[n:]
	return some, nil
}

func fileInfo(f Info) entryInfo {
	return entryInfo{name: path.Base(f.Path), size: f.Size, time: f.Time}
}

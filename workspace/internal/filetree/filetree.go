// Package filetree shows files that only have paths as an [fs.FS]. The slashes in
// their paths make the folders.
package filetree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Files are the current files of an agent, as a read-only file system that also has
// ReadFile, ReadDir and Stat. If a path is both a file and a folder, it shows the folder.
type Files struct {
	Context context.Context
	View    func(ctx context.Context, fn func(store.Reader) error) error // runs a read

	// Read returns the content of a file, and when it was written. The error wraps
	// [store.ErrNotFound] if there is none.
	Read func(ctx context.Context, path string) ([]byte, time.Time, error)
}

var (
	_ fs.ReadFileFS = Files{}
	_ fs.ReadDirFS  = Files{}
	_ fs.StatFS     = Files{}
)

// info is a file or a folder.
type info struct {
	name string
	size int64
	time time.Time
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return i.time }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func fileInfo(h store.FileHead) info {
	return info{name: path.Base(h.Path), size: h.Size(), time: h.Updated}
}

func failed(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (f Files) Open(name string) (fs.File, error) {
	found, entries, err := f.find("open", name)
	switch {
	case err != nil:
		return nil, err
	case found.dir:
		return &openFolder{found, entries}, nil
	}
	content, at, err := f.read("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{info{name: found.name, size: int64(len(content)), time: at}, bytes.NewReader(content)}, nil
}

func (f Files) Stat(name string) (fs.FileInfo, error) {
	found, _, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (f Files) ReadFile(name string) ([]byte, error) {
	found, _, err := f.find("read", name)
	switch {
	case err != nil:
		return nil, err
	case found.dir:
		return nil, failed("read", name, errIsFolder)
	}
	content, _, err := f.read("read", name)
	return content, err
}

var errIsFolder = errors.New("is a folder")

func (f Files) ReadDir(name string) ([]fs.DirEntry, error) {
	found, entries, err := f.find("readdir", name)
	if err == nil && !found.dir {
		err = failed("readdir", name, errors.New("is a file"))
	}
	return entries, err
}

func (f Files) read(op, name string) (content []byte, at time.Time, err error) {
	content, at, err = f.Read(f.Context, name)
	if errors.Is(err, store.ErrNotFound) {
		err = fs.ErrNotExist
	}
	if err != nil {
		err = failed(op, name, err)
	}
	return content, at, err
}

// find returns a folder with what lies directly in it, in byte order of name, or else a file.
func (f Files) find(op, name string) (found info, entries []fs.DirEntry, err error) {
	if !fs.ValidPath(name) {
		return info{}, nil, failed(op, name, fs.ErrInvalid)
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	} else if _, cause := names.Unicode.Path(name); cause != "" {
		return info{}, nil, failed(op, name, fs.ErrNotExist)
	}
	if err := fault.Within("look at", name, fault.CheckContext(f.Context)); err != nil {
		return info{}, nil, failed(op, name, err)
	}
	var children map[string]info
	var head store.FileHead
	err = f.View(f.Context, func(r store.Reader) error {
		children = map[string]info{}
		for h, err := range store.Files(r, prefix) {
			if err != nil {
				return err
			}
			child, _, isFolder := strings.Cut(h.Path[len(prefix):], "/")
			if isFolder {
				children[child] = info{name: child, dir: true}
			} else if _, seen := children[child]; !seen {
				children[child] = fileInfo(h)
			}
		}
		l, err := r.Load(store.Query{File: name})
		head = l.File
		return err
	})
	switch {
	case err != nil:
		return info{}, nil, failed(op, name, fault.Within("look at", name, err))
	case len(children) > 0 || name == ".":
		for _, c := range children {
			entries = append(entries, fs.FileInfoToDirEntry(c))
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return info{name: path.Base(name), dir: true}, entries, nil
	case !head.Exists():
		return info{}, nil, failed(op, name, fs.ErrNotExist)
	}
	return fileInfo(head), nil, nil
}

// openFile can also seek, and read at an offset.
type openFile struct {
	info info
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openFolder struct {
	info    info
	entries []fs.DirEntry
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error)   { return 0, failed("read", f.info.name, errIsFolder) }

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(f.entries)
	} else if len(f.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.entries))
	some := f.entries[:n]
	f.entries = f.entries[n:]
	return some, nil
}

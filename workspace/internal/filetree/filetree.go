// Package filetree shows files that only have paths as an [fs.FS]. The slashes in
// their paths make the folders.
package filetree

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A Source has the files. Errors are returned to callers inside an [*fs.PathError].
type Source interface {
	// Stat returns a file, and [fs.ErrNotExist] if there is none.
	Stat(path string) (Info, error)

	// Read returns a file with its content, and [fs.ErrNotExist] if there is none.
	Read(path string) (Info, []byte, error)

	// Below calls fn for each file whose path begins with a prefix, as of one moment.
	Below(prefix string, fn func(Info)) error
}

// Info is a file of a [Source].
type Info struct {
	Path string
	Size int64
	Time time.Time
}

// New returns a read-only file system that also has ReadFile, ReadDir and Stat. If a
// path is both a file and a folder, it shows the folder.
func New(s Source) fs.FS { return &fileSystem{s} }

type fileSystem struct{ source Source }

var (
	_ fs.ReadFileFS = (*fileSystem)(nil)
	_ fs.ReadDirFS  = (*fileSystem)(nil)
	_ fs.StatFS     = (*fileSystem)(nil)
)

func (s *fileSystem) Open(name string) (fs.File, error) {
	info, entries, err := s.find("open", name)
	if err != nil {
		return nil, err
	}
	if info.dir {
		return &openFolder{info: info, entries: entries, path: name}, nil
	}
	info, content, err := s.read("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{info: info, Reader: bytes.NewReader(content)}, nil
}

func (s *fileSystem) Stat(name string) (fs.FileInfo, error) {
	info, _, err := s.find("stat", name)
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (s *fileSystem) ReadFile(name string) ([]byte, error) {
	info, _, err := s.find("read", name)
	if err != nil {
		return nil, err
	}
	if info.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a folder")}
	}
	_, content, err := s.read("read", name)
	return content, err
}

func (s *fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	info, entries, err := s.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !info.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is a file")}
	}
	return entries, nil
}

// find returns a folder with its entries, or else a file.
func (s *fileSystem) find(op, name string) (entryInfo, []fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	entries, err := s.entries(name)
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	if len(entries) > 0 || name == "." {
		return entryInfo{name: path.Base(name), dir: true}, entries, nil
	}
	found, err := s.source.Stat(name)
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return fileInfo(found), nil, nil
}

func (s *fileSystem) read(op, name string) (entryInfo, []byte, error) {
	found, content, err := s.source.Read(name)
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return fileInfo(found), content, nil
}

// entries returns what lies directly in a folder, in byte order of name.
func (s *fileSystem) entries(folder string) ([]fs.DirEntry, error) {
	prefix := folder + "/"
	if folder == "." {
		prefix = ""
	}
	found := map[string]entryInfo{}
	err := s.source.Below(prefix, func(f Info) {
		child, _, isFolder := strings.Cut(f.Path[len(prefix):], "/")
		if isFolder {
			found[child] = entryInfo{name: child, dir: true}
		} else if _, seen := found[child]; !seen {
			found[child] = fileInfo(f)
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]fs.DirEntry, 0, len(found))
	for _, e := range found {
		list = append(list, fs.FileInfoToDirEntry(e))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

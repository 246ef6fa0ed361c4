package workspace

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
)

// FS returns the agent's current files as a read-only [fs.FS], which also has
// ReadFile, ReadDir and Stat. The context holds for its whole life. A folder is
// what the slashes in paths make one; where a path is both a file and a folder
// of others it shows the folder. Files have mode 0444, folders 0555, and a
// folder's time is zero. Each call sees the files as they are at that moment.
//
// Errors are [*fs.PathError]; a file that is not there is [fs.ErrNotExist].
func (w *Workspace) FS(ctx context.Context) fs.FS { return &fileSystem{ctx: ctx, w: w} }

type fileSystem struct {
	ctx context.Context
	w   *Workspace
}

var (
	_ fs.ReadFileFS = (*fileSystem)(nil)
	_ fs.ReadDirFS  = (*fileSystem)(nil)
	_ fs.StatFS     = (*fileSystem)(nil)
)

func (s *fileSystem) Open(name string) (fs.File, error) {
	info, entries, err := s.look("open", name)
	if err != nil {
		return nil, err
	}
	if info.dir {
		return &openFolder{info: info, entries: entries, path: name}, nil
	}
	info, content, err := s.content("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{info: info, Reader: bytes.NewReader(content)}, nil
}

func (s *fileSystem) Stat(name string) (fs.FileInfo, error) {
	info, _, err := s.look("stat", name)
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (s *fileSystem) ReadFile(name string) ([]byte, error) {
	info, _, err := s.look("read", name)
	if err != nil {
		return nil, err
	}
	if info.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a folder")}
	}
	_, content, err := s.content("read", name)
	return content, err
}

func (s *fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	info, entries, err := s.look("readdir", name)
	if err != nil {
		return nil, err
	}
	if !info.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is a file")}
	}
	return entries, nil
}

// look finds a folder with its entries, or else a file.
func (s *fileSystem) look(op, name string) (entryInfo, []fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	entries, err := s.folder(name)
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	if len(entries) > 0 || name == "." {
		return entryInfo{name: path.Base(name), dir: true}, entries, nil
	}
	if badPath(name) != "" {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	var head FileHead
	err = s.w.view(s.ctx, func(tx Reader) (err error) {
		head, _, err = tx.File(name)
		return err
	})
	if err == nil && !head.Exists() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return headInfo(head), nil, nil
}

func (s *fileSystem) content(op, name string) (entryInfo, []byte, error) {
	r, err := s.w.ReadFile(s.ctx, name, ReadOptions{})
	if errors.Is(err, ErrNotFound) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return entryInfo{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return entryInfo{name: path.Base(name), size: r.Bytes, time: r.Time}, r.Content, nil
}

// folder lists what lies directly in a folder, in byte order of name.
func (s *fileSystem) folder(name string) ([]fs.DirEntry, error) {
	if err := checkContext(s.ctx, "list", name); err != nil {
		return nil, err
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	if badPathText(prefix) != "" {
		return nil, nil
	}
	found := map[string]entryInfo{}
	err := s.w.view(s.ctx, func(tx Reader) error {
		for after, more := "", true; more; {
			heads, err := tx.Files(prefix, after, pagePaths)
			if err != nil {
				return err
			}
			more = len(heads) == pagePaths
			for _, h := range heads {
				after = h.Path
				child, _, isFolder := strings.Cut(h.Path[len(prefix):], "/")
				if isFolder {
					found[child] = entryInfo{name: child, dir: true}
				} else if _, seen := found[child]; !seen {
					found[child] = headInfo(h)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, 0, len(found))
	for _, e := range found {
		entries = append(entries, fs.FileInfoToDirEntry(e))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func headInfo(h FileHead) entryInfo {
	return entryInfo{name: path.Base(h.Path), size: h.Size(), time: h.Updated}
}

// entryInfo is a file or a folder in an fs.FS.
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

// openFile also seeks and reads at an offset.
type openFile struct {
	info entryInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

// Size hides that of the reader, which an fs.File has no use for.
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

package transfer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A folder is the root of an export. Nothing outside of it is opened, whatever links
// there are in it.
type folder struct{ root *os.Root }

// maxNames is how many names an import looks at in a folder that is no export. Tests
// change it.
var maxNames = 100_000

// errKind is the cause of a name that is left out.
type errKind struct{ cause string }

func (e errKind) Error() string { return e.cause }

// opening is called before a file is opened that was a regular one just before. Tests
// change it.
var opening = func(name string) {}

// open opens a regular file for reading. No part of its name may be a link. Waiting for
// the writer of a pipe is not possible.
func (f folder) open(name string) (*os.File, fs.FileInfo, error) {
	want, err := f.lstat(name)
	if err == nil {
		err = check(want, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	opening(name)
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = check(info, 0)
	}
	if err == nil && !os.SameFile(want, info) {
		err = errKind{"it was replaced while it was opened"}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// lstat describes what has a name. No part before the last one may be a link.
func (f folder) lstat(name string) (info fs.FileInfo, err error) {
	if !fs.ValidPath(name) {
		return nil, errKind{"the name leads out of the folder"}
	}
	for at := range segments(name) {
		if info, err = f.root.Lstat(name[:at.to]); err == nil && at.to < len(name) {
			err = check(info, fs.ModeDir)
		}
		if err != nil {
			return nil, err
		}
	}
	return info, nil
}

// check refuses what is not of a type: [fs.ModeDir], or 0 for a regular file.
func check(info fs.FileInfo, want fs.FileMode) error {
	switch got := info.Mode().Type(); {
	case got == want:
		return nil
	case got&fs.ModeSymlink != 0:
		return errKind{"it is a link, and links are not followed"}
	case got == fs.ModeDir:
		return errKind{"it is a folder"}
	case got == 0:
		return errKind{"it is a file, and a folder is needed"}
	}
	return errKind{"it is a device, a pipe or a socket"}
}

// read returns the content of a file of at most limit bytes.
func (f folder) read(name string, limit int64) ([]byte, error) {
	file, info, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size := info.Size(); size > limit {
		return nil, sizeError(size, store.FileBytes, limit, store.Way{Do: store.DoSplitFile})
	}
	return io.ReadAll(io.LimitReader(file, limit+1)) // it may grow
}

func sizeError(size int64, of store.Resource, limit int64, way store.Way) error {
	e := workspace.Errorf(workspace.ErrTooLarge, "%d bytes, limit %d", size, limit)
	e.Quota = &workspace.Quota{Of: of, Adds: size, Limit: limit}
	e.Way = way
	return e
}

// A walk looks at the names below a folder.
type walk struct {
	left  int                                   // how many names it may still see
	skip  func(name string, isFolder bool) bool // leave a name alone
	enter func(name string) bool                // look into a folder; nil: always
}

const maxLong = 4096 // bytes of the name of a folder that a walk goes into; no path has so long a name

// walk calls fn for each name below a folder that is not a folder itself, in byte order
// within each folder. It does not go into a folder that enter refuses, or with a very long
// name, but calls fn for it.
// It also calls fn with the error of a name that cannot be looked at.
func (f folder) walk(dir string, w *walk, fn func(name string, info fs.FileInfo, err error) error) error {
	names, err := f.list(dir, &w.left)
	if _, is := cause(err); is {
		return fn(dir, nil, err)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		full := path.Join(dir, name)
		info, err := f.root.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			err = fn(full, nil, err)
		case w.skip(full, info.IsDir()):
		case info.IsDir() && len(full) < maxLong && (w.enter == nil || w.enter(full)):
			err = f.walk(full, w, fn)
		default:
			err = fn(full, info, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a folder in byte order.
func (f folder) list(dir string, left *int) ([]string, error) {
	d, err := f.root.OpenFile(dir, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var names []string
	for {
		some, err := d.Readdirnames(1000)
		if *left -= len(some); *left < 0 {
			return nil, workspace.Errorf(workspace.ErrTooLarge,
				"the folder has more than %d names; import its folders one by one", maxNames)
		}
		names = append(names, some...)
		if err == io.EOF {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// cause returns why a name is left out, and whether err is such a reason.
func cause(err error) (string, bool) {
	var kind errKind
	var system *fs.PathError
	switch {
	case errors.As(err, &kind):
		return kind.cause, true
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there", true
	case errors.As(err, &system):
		return system.Err.Error(), true
	}
	return "", false
}

package transfer

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/agent-scratchpad/scratchpad/workspace"
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

// open opens a regular file for reading, and returns its size. No part of its name may be a
// link. It does not wait for the writer of a pipe.
func (f folder) open(name string) (file *os.File, size int64, err error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, 0, errKind{"the name leads out of the folder"}
	}
	var looked fs.FileInfo
	for at := range segments(name) {
		if looked, err = f.root.Lstat(name[:at.to]); err != nil {
			return nil, 0, err
		}
		want := fs.ModeDir
		if at.to == len(name) {
			want = 0
		}
		if err := check(looked, want); err != nil {
			return nil, 0, err
		}
	}
	opening(name)
	if file, err = f.root.OpenFile(name, os.O_RDONLY|nonBlock, 0); err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(looked, info) {
		err = errKind{"it was replaced while it was opened"}
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
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
	file, size, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > limit {
		return nil, tooLarge(workspace.FileBytes, size, limit, workspace.Way{Do: workspace.DoSplitFile})
	}
	return io.ReadAll(io.LimitReader(file, limit+1)) // the workspace refuses one byte more
}

func tooLarge(of workspace.Resource, size, limit int64, way workspace.Way) error {
	e := workspace.Errorf(workspace.ErrTooLarge, "%d bytes, limit %d", size, limit)
	e.Quota = &workspace.Quota{Of: of, Adds: size, Limit: limit}
	e.Way = way
	return e
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

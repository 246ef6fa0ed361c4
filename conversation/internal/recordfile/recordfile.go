// Package recordfile keeps numbered records in a file that survives crashes. A
// record is a JSON object. The package numbers it, and knows nothing else of what
// is in it.
//
// A line of the file is a record, with its number as the first member:
//
//	{"seq":1,"kind":"message",…}
//	{"seq":2,"kind":"message",…,"more":true}
//	{"seq":3,"kind":"clear"}
//
// Numbers begin with 1 and have no gaps. The records of one write are stored all or
// none: the member more says that the next line is of the same write. A write is
// confirmed by an fsync before [File.Append] returns.
//
// After a crash the file may end in the middle of a write, which nobody was told had
// succeeded. [Open] cuts that end off. It refuses any other damage, and leaves the
// file as it is.
package recordfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrClosed is returned by the methods of a closed [File].
var ErrClosed = errors.New("the file is closed")

// A Format describes the records of a file.
type Format[R any] struct {
	// Kinds are the values of kind, the first member of a record.
	Kinds []string
	// Parse returns the record in a line, and its number.
	Parse func(line []byte) (r R, seq int64, err error)
}

// A File is an open file of records. It is safe for concurrent use.
type File[R any] struct {
	format Format[R]
	path   string // absolute
	file   *os.File
	self   os.FileInfo // identifies the file

	write  sync.Mutex // held during a write; guards broken
	broken error      // why nothing can be written: a failed write could not be removed

	mu     sync.Mutex // guards the fields below
	closed bool
	seq    int64 // number of the last record
	end    int64 // where the last record ends, in bytes
}

// errHeld is returned by lockFile if somebody else has the lock.
var errHeld = errors.New("held")

// Open opens the file at path, or creates it with mode 0600. A link is followed. It
// reads the whole file and locks it against other writers, in this process and in
// others. torn reports whether the end of the file was cut off.
func Open[R any](path string, format Format[R]) (f *File[R], torn bool, err error) {
	file, err := openFile(path)
	if err != nil {
		return nil, false, cause(err)
	}
	f = &File[R]{format: format, file: file}
	if torn, err = f.load(path); err != nil {
		file.Close()
		return nil, false, cause(err)
	}
	return f, torn, nil
}

// Path returns the absolute path of the file.
func (f *File[R]) Path() string { return f.path }

// End returns the size of the file, in bytes.
func (f *File[R]) End() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end
}

func openFile(path string) (*os.File, error) {
	flags := os.O_RDWR
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		flags |= os.O_CREATE | os.O_EXCL
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // opening a pipe may block
		return nil, errors.New("it is a folder, a pipe or a device: give a file")
	}
	return os.OpenFile(path, flags, 0o600)
}

// cause returns an error without the path, which the caller adds.
func cause(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// load locks the file, reads it to its end, and cuts off a torn end.
func (f *File[R]) load(path string) (torn bool, err error) {
	switch err := lockFile(f.file); {
	case errors.Is(err, errHeld):
		return false, errors.New("it is held by another process, or is open in this one: close it there first")
	case err != nil:
		return false, fmt.Errorf("lock it: %w", err)
	}
	if f.path, err = filepath.Abs(path); err != nil {
		return false, err
	}
	if f.self, err = f.file.Stat(); err != nil {
		return false, err
	}
	if err := f.inPlace(); err != nil {
		return false, err
	}
	size := f.self.Size()
	if err := f.scan(size); err != nil {
		return false, err
	}
	if f.end > size {
		_, err = f.file.WriteAt([]byte("\n"), size)
	}
	if torn = f.end < size; torn {
		err = f.file.Truncate(f.end)
	}
	if err != nil {
		return false, fmt.Errorf("mend its end: %w", cause(err))
	}
	// A process that was killed may not have synced what it wrote.
	if err = f.file.Sync(); err == nil && f.end == 0 {
		err = f.syncFolder()
	}
	return torn, err
}

// inPlace returns an error if the path no longer leads to the open file.
func (f *File[R]) inPlace() error {
	there, err := os.Stat(f.path)
	if err != nil {
		return cause(err)
	}
	if !os.SameFile(there, f.self) {
		return errors.New("another file was put in its place")
	}
	return nil
}

// syncFolder syncs the folder of the file, so that a new file is still there after
// a crash.
func (f *File[R]) syncFolder() error {
	path, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("open its folder: %w", cause(err))
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && filepath.Separator != '\\' { // Windows cannot sync a folder
		return fmt.Errorf("sync its folder: %w", cause(err))
	}
	return nil
}

// Close waits for a running Append, then unlocks and closes the file. A second
// Close does nothing.
func (f *File[R]) Close() error {
	f.write.Lock()
	defer f.write.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	// A child process that is just being started may hold a copy of the descriptor
	// for a moment, and with it the lock.
	return errors.Join(unlockFile(f.file), f.file.Close())
}

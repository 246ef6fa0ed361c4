package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A File is a [Journal] in a file of JSON lines. It is safe for concurrent use.
type File struct {
	path string // absolute
	file *os.File
	self os.FileInfo // which file it is

	write  sync.Mutex // held while the file is written; guards broken and done of every group
	broken error      // a write failed, and what it left could not be cut off

	mu     sync.Mutex // guards the following
	closed bool
	next   *group // the batches that wait for the next write; nil: none
	seq    int64  // of the last record
	end    int64  // where it ends, in bytes
	marks  []mark // ascending, at least markBytes apart
}

// A mark says where in the file the records after one begin.
type mark struct{ seq, at int64 }

const markBytes = 1 << 20

// errHeld is what lockFile returns when somebody else has the lock.
var errHeld = errors.New("held")

// FileJournal opens the journal in a file, or makes an empty one, with mode 0600
// in a folder that is there. A line is a record in JSON; all but the last of a
// batch have the member "more". A link to a file is followed.
//
// The whole file is read first. A last record that lacks but its newline gets it.
// What else an append left unfinished at its end, when
// the process was killed or the power went, is dropped: the *[TornError] that
// says so comes beside a File that works. Anything else that is no record is an
// error, and the file stays as it is. So does one that is held by another File,
// of any process: there is one writer, and reading the file as text is open to
// everybody. Where the system has no lock for that (it is there on Linux, macOS,
// the BSDs, illumos and Windows), a journal cannot be opened.
//
// Errors: [ErrJournal], with the cause.
func FileJournal(path string) (*File, error) {
	file, err := openJournal(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	torn, err := f.load(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	if torn {
		return f, &TornError{Path: path, Offset: f.end}
	}
	return f, nil
}

func openJournal(path string) (*os.File, error) {
	if path == "" {
		return nil, fmt.Errorf("FileJournal: the path is empty; give a file: %w", ErrJournal)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		file, created := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case created == nil:
			return file, nil
		case errors.Is(created, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: %w: make the folder first", ErrJournal, created)
		case !errors.Is(created, fs.ErrExist):
			return nil, fmt.Errorf("%w: %w", ErrJournal, created)
		}
		if info, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open %s: it is a link to nothing; give the file itself: %w: %w", path, ErrJournal, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if !info.Mode().IsRegular() { // opening one may never end
		return nil, fmt.Errorf("open %s: it is a folder, a pipe or a device; give a file: %w", path, ErrJournal)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return file, nil
}

// load takes the lock, reads the file to its end and drops a torn tail.
func (f *File) load(path string) (torn bool, err error) {
	err = lockFile(f.file)
	if errors.Is(err, errHeld) {
		return false, fmt.Errorf("open %s: it is held by another process, or by a journal of this one: close that one first: %w", path, ErrJournal)
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w: %w", path, ErrJournal, err)
	}
	if f.path, err = filepath.Abs(path); err != nil {
		return false, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if f.self, err = f.file.Stat(); err != nil {
		return false, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if err := f.inPlace(); err != nil {
		return false, fmt.Errorf("open %s: %w: %w", path, ErrJournal, err)
	}
	if err := f.scan(f.self.Size()); err != nil {
		return false, fmt.Errorf("open %s: %w", path, err)
	}
	if f.end > f.self.Size() {
		if _, err := f.file.WriteAt([]byte("\n"), f.self.Size()); err != nil {
			return false, fmt.Errorf("end the last line: %w: %w", ErrJournal, err)
		}
	}
	if torn = f.end < f.self.Size(); torn {
		if err := f.file.Truncate(f.end); err != nil {
			return false, fmt.Errorf("cut off a torn end: %w: %w", ErrJournal, err)
		}
	}
	// A process that was killed may not have come to it.
	if err := f.file.Sync(); err != nil {
		return false, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if f.end == 0 {
		err = f.syncFolder()
	}
	return torn, err
}

// inPlace says whether the path still leads to the file that is open.
func (f *File) inPlace() error {
	there, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if !os.SameFile(there, f.self) {
		return errors.New("another file was put in its place")
	}
	return nil
}

func (f *File) syncFolder() error {
	path, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && filepath.Separator != '\\' { // Windows cannot sync a folder
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// Close waits for an Append that is writing, and gives the file free. All but
// Close returns [ErrClosed] afterwards; a second Close does nothing.
func (f *File) Close() error {
	f.write.Lock()
	defer f.write.Unlock()
	f.mu.Lock()
	closed := f.closed
	f.closed = true
	f.mu.Unlock()
	if closed {
		return nil
	}
	// A process that is just being started may hold a copy of the descriptor for a
	// moment, and with it the lock.
	if err := errors.Join(unlockFile(f.file), f.file.Close()); err != nil {
		return fmt.Errorf("close %s: %w: %w", f.path, ErrJournal, err)
	}
	return nil
}

// errClosed is for an operation on a File that was closed.
func (f *File) errClosed(operation string) error {
	return fmt.Errorf("%s %s: %w: %w", operation, f.path, ErrClosed, ErrJournal)
}

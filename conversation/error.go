package conversation

import (
	"errors"
	"fmt"
)

var (
	// ErrConfig: the options contradict each other or lack something.
	ErrConfig = errors.New("invalid options")
	// ErrInvalid: a message, or a document, that is none.
	ErrInvalid = errors.New("invalid")
	// ErrJournal: the journal did not take or give a record.
	ErrJournal = errors.New("journal")
	// ErrNoJournal: there is no journal to read the originals from.
	ErrNoJournal = errors.New("no journal")
	// ErrClosed: the memory or the journal was closed.
	ErrClosed = errors.New("closed")
)

// A TornError says that the end of a journal was cut off in the middle of an
// append, which nobody was told had succeeded. [FileJournal] returns it beside a
// journal that works.
type TornError struct {
	Path   string
	Offset int64 // in bytes: what stood from here on was dropped
}

func (e *TornError) Error() string {
	return fmt.Sprintf("open %s: the end from byte %d on was torn in the middle of an append, and was dropped: what was acknowledged is there", e.Path, e.Offset)
}

// A VersionError says that a document was written by another version of this
// package. Nothing was changed.
type VersionError struct {
	Version, Supported int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the document has version %d, this package reads version %d: use a program of the version that wrote it", e.Version, e.Supported)
}

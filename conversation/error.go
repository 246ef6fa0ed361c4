package conversation

import (
	"errors"
	"fmt"
)

var (
	// ErrConfig: the options contradict each other, or something is missing.
	ErrConfig = errors.New("invalid options")
	// ErrInvalid: a message or a document is not valid.
	ErrInvalid = errors.New("invalid")
	// ErrJournal: the journal could not store or read a record.
	ErrJournal = errors.New("journal")
	// ErrNoJournal: there is no journal to read the originals from.
	ErrNoJournal = errors.New("no journal")
	// ErrClosed: the memory or the journal is closed.
	ErrClosed = errors.New("closed")
)

// A TornError says that a journal ended in the middle of an append, and that this
// end was dropped. Nobody was told that the append had succeeded. [FileJournal]
// returns it beside a journal that works.
type TornError struct {
	Path   string
	Offset int64 // in bytes: everything from here on was dropped
}

func (e *TornError) Error() string {
	return fmt.Sprintf("open %s: the file ended in the middle of an append, and everything from byte %d on was "+
		"dropped: no record that was stored is lost", e.Path, e.Offset)
}

// A VersionError says that a document was written by another version of this
// package. Nothing was changed.
type VersionError struct {
	Version, Supported int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the document has version %d, but this program reads version %d: use the program that wrote it",
		e.Version, e.Supported)
}

package sqlite

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/sqlite"
)

// SQLite's result codes: https://www.sqlite.org/rescode.html
const (
	codeError      = 1
	codePerm       = 3
	codeBusy       = 5
	codeLocked     = 6
	codeNoMem      = 7
	codeReadOnly   = 8
	codeInterrupt  = 9
	codeIOErr      = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeProtocol   = 15
	codeConstraint = 19
	codeNotADB     = 26

	codeIOErrShort      = 522
	codeIOErrWrite      = 778
	codeIOErrFsync      = 1034
	codeIOErrDirFsync   = 1290
	codeIOErrShmSize    = 4874
	codeReadOnlyRollbck = 776
)

// dbError is an error of SQLite without the driver's type. The code is for this package
// alone.
type dbError struct {
	code int
	text string
}

func (e *dbError) Error() string { return e.text }

// withKind gives the error its kind in terms of package workspace, unless that is nil.
func (e *dbError) withKind(kind error) error {
	if kind == nil {
		return e
	}
	return &workspace.Error{Kind: kind, Err: e}
}

// translate turns an error of the driver into a dbError with its kind. It returns other
// errors as they are.
func translate(err error) error {
	var de *sqlite.Error
	if !errors.As(err, &de) {
		return err
	}
	text := fmt.Sprintf("sqlite: %v", de)
	if de.Code()&0xff == codeFull { // if a copy meets it, SQLite's text is "not an error"
		text = "the disk is full"
	}
	e := &dbError{code: de.Code(), text: text}
	return e.withKind(kindOf(de.Code()))
}

// kindOf returns the kind of a result code, and nil for one that only a mistake in this
// package can cause.
func kindOf(code int) error {
	switch code {
	case codeIOErrWrite, codeIOErrShmSize:
		return workspace.ErrStorageFull
	case codeIOErrFsync, codeIOErrDirFsync:
		return workspace.ErrOutcomeUnknown
	}
	switch code & 0xff {
	case codeBusy, codeLocked, codeProtocol, codeCantOpen, codeNoMem: // nothing happened, and a later try may succeed
		return workspace.ErrBusy
	case codeFull:
		return workspace.ErrStorageFull
	case codeCorrupt, codeNotADB, codeConstraint, codeIOErr: // stored data is wrong or cannot be read
		return workspace.ErrCorrupt
	case codeReadOnly, codePerm:
		return workspace.ErrReadOnly
	}
	return nil
}

// codeOf returns SQLite's extended result code of an error, and 0 for an error of
// somebody else.
func codeOf(err error) int {
	var e *dbError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// isFsync reports whether an error says that the disk did not confirm a write.
func isFsync(err error) bool {
	code := codeOf(err)
	return code == codeIOErrFsync || code == codeIOErrDirFsync
}

func isFull(err error) bool { return errors.Is(err, workspace.ErrStorageFull) }

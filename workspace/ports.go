package workspace

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// What a Workspace and a backend both speak of is declared in package store. These names
// are the same types, constants and errors, as os.PathError is fs.PathError. What only a
// backend needs has no name here.

// The values that calls take and return. They are described in package store.
type (
	Author   = store.Author
	Change   = store.Change
	ChangeOp = store.ChangeOp
	PathKind = store.PathKind
	Version  = store.Version
	Entry    = store.Entry
	Usage    = store.Usage
	Totals   = store.Totals

	File      = store.File
	FileHead  = store.FileHead
	LogHead   = store.LogHead
	Redaction = store.Redaction
	Records   = store.Records
	Record    = store.Record
)

// The operations of a [Change], and the kinds of paths.
const (
	OpCreate  = store.OpCreate
	OpEdit    = store.OpEdit
	OpDelete  = store.OpDelete
	OpMove    = store.OpMove
	OpRestore = store.OpRestore
	OpRedact  = store.OpRedact
	OpAppend  = store.OpAppend
	OpTrim    = store.OpTrim
	KindFile  = store.KindFile
	KindLog   = store.KindLog
)

// The kinds of error. They are described at [store.ErrNotFound].
var (
	ErrNotFound       = store.ErrNotFound
	ErrInvalid        = store.ErrInvalid
	ErrTooLarge       = store.ErrTooLarge
	ErrQuota          = store.ErrQuota
	ErrConflict       = store.ErrConflict
	ErrCorrupt        = store.ErrCorrupt
	ErrBusy           = store.ErrBusy
	ErrStorageFull    = store.ErrStorageFull
	ErrOutcomeUnknown = store.ErrOutcomeUnknown
	ErrReadOnly       = store.ErrReadOnly
	ErrUnsupported    = store.ErrUnsupported
	ErrProvider       = store.ErrProvider
	ErrClosed         = store.ErrClosed
)

// ErrArchived is described at [store.ErrArchived].
var ErrArchived = store.ErrArchived

// The parts of an error. They are described at [store.Error].
type (
	Error    = store.Error
	Overlap  = store.Overlap
	Deletion = store.Deletion
	Quota    = store.Quota
)

// Kind returns the kind of an error, or nil if the error has none. It is [store.Kind].
func Kind(err error) error { return store.Kind(err) }

// Errorf returns an error of a kind. It is [store.Errorf].
func Errorf(kind error, format string, args ...any) *Error {
	return store.Errorf(kind, format, args...)
}

// Store is what a backend implements. It is described at [store.Store].
type Store = store.Store

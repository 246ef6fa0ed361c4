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

	File        = store.File
	FileHead    = store.FileHead
	Redaction   = store.Redaction
	OwnersOrder = store.OwnersOrder
	Records     = store.Records
	Record      = store.Record
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
	Resource = store.Resource
	Arg      = store.Arg
	Way      = store.Way
	Words    = store.Words
)

// Kind returns the kind of an error, or nil if the error has none. It is [store.Kind].
func Kind(err error) error { return store.Kind(err) }

// Errorf returns an error of a kind. It is [store.Errorf].
func Errorf(kind error, format string, args ...any) *Error {
	return store.Errorf(kind, format, args...)
}

// The resources that a [Quota] limits.
const (
	FileBytes     = store.FileBytes
	EntryBytes    = store.EntryBytes
	FileCount     = store.FileCount
	LogCount      = store.LogCount
	EntryCount    = store.EntryCount
	AgentBytes    = store.AgentBytes
	SummaryTokens = store.SummaryTokens
	StoreAgents   = store.StoreAgents
	StoreBytes    = store.StoreBytes
)

// The arguments that an [Error] speaks of.
const (
	ArgAgent       = store.ArgAgent
	ArgPath        = store.ArgPath
	ArgNewPath     = store.ArgNewPath
	ArgPrefix      = store.ArgPrefix
	ArgAfter       = store.ArgAfter
	ArgIfVersion   = store.ArgIfVersion
	ArgVersion     = store.ArgVersion
	ArgSince       = store.ArgSince
	ArgContext     = store.ArgContext
	ArgFromLine    = store.ArgFromLine
	ArgToLine      = store.ArgToLine
	ArgMaxTokens   = store.ArgMaxTokens
	ArgOld         = store.ArgOld
	ArgNew         = store.ArgNew
	ArgAll         = store.ArgAll
	ArgSinceEntry  = store.ArgSinceEntry
	ArgLimit       = store.ArgLimit
	ArgTail        = store.ArgTail
	ArgThrough     = store.ArgThrough
	ArgSinceChange = store.ArgSinceChange
	ArgWhere       = store.ArgWhere
	ArgOnce        = store.ArgOnce
	ArgSection     = store.ArgSection
)

// The actions of a [Way].
const (
	DoRead         = store.DoRead
	DoReadSince    = store.DoReadSince
	DoReadWhole    = store.DoReadWhole
	DoReadFile     = store.DoReadFile
	DoReadLog      = store.DoReadLog
	DoList         = store.DoList
	DoUseName      = store.DoUseName
	DoUseVersion   = store.DoUseVersion
	DoExpectNone   = store.DoExpectNone
	DoOtherPath    = store.DoOtherPath
	DoGiveAtMost   = store.DoGiveAtMost
	DoGiveMoreText = store.DoGiveMoreText
	DoSplitFile    = store.DoSplitFile
	DoSplitEntry   = store.DoSplitEntry
	DoDelete       = store.DoDelete
	DoFreeStore    = store.DoFreeStore
	DoNewKey       = store.DoNewKey
	DoRetry        = store.DoRetry
	DoUnicodePaths = store.DoUnicodePaths
	DoCallChanges  = store.DoCallChanges
	DoSearchExact  = store.DoSearchExact
	DoOutside      = store.DoOutside
	DoRestore      = store.DoRestore
	DoDropDeleted  = store.DoDropDeleted
)

// Store is what a backend implements. It is described at [store.Store].
type Store = store.Store

// The orders of a list of owners.
const (
	ByName    = store.ByName
	ByUpdated = store.ByUpdated
	ByBytes   = store.ByBytes
)

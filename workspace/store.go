package workspace

import (
	"context"
	"crypto/sha256"
	"time"
)

// Owner is whose data a transaction sees: one agent of one tenant.
type Owner struct {
	Tenant string // "local" on the command line
	Agent  string
}

// String returns "tenant/agent", the first column of every table.
func (o Owner) String() string { return o.Tenant + "/" + o.Agent }

// A Store keeps what agents own. It applies no rule: the [Workspace] does, and
// a store runs its transactions. Package storetest is the specification that
// every backend passes. Implementations are safe for concurrent use.
type Store interface {
	// View runs fn on one consistent snapshot of what the owner has. fn must
	// not keep the Reader. An error of fn is returned as it is; a panic or a
	// [runtime.Goexit] in it reaches the caller, and the store goes on.
	View(ctx context.Context, o Owner, fn func(Reader) error) error

	// Update runs fn in a transaction bound to the owner. When it returns nil,
	// what fn did is durable and is seen by every later View, in every process.
	// When fn returns an error, Update undoes all it did and returns that error,
	// and not before everything that fn may have seen is durable.
	//
	// The Updates of one owner run one after the other. fn may run on another
	// goroutine and more than once: it sets all of its
	// results on each run, and does nothing but call the Tx. A panic or a
	// [runtime.Goexit] in it undoes its work and is raised in the caller's
	// goroutine.
	//
	// A context that ends before fn started withdraws it: nothing happened, and
	// the error wraps ErrBusy for a deadline, [context.Canceled] otherwise. One
	// that ends while fn's commit is under way gives ErrOutcomeUnknown.
	Update(ctx context.Context, o Owner, fn func(Tx) error) error

	// Owners lists the owners of a tenant that hold anything, in byte order of
	// the agent, from the first one after the given, at most limit of them. It
	// is for operators; an agent never reaches it.
	Owners(ctx context.Context, tenant, after string, limit int) ([]OwnerUsage, error)

	// Totals adds up what the owners of a tenant have, from their states alone. It
	// waits for no transaction.
	Totals(ctx context.Context, tenant string) (Totals, error)

	// Deleted lists owners of a tenant of whom nothing is left but the numbers that
	// they had reached: those that were written last before the time from or after
	// the time to, in byte order of the agent, at most limit of them.
	Deleted(ctx context.Context, tenant string, from, to time.Time, limit int) ([]Owner, error)

	// System returns the small records of the installation, which no agent
	// owns. The context holds for the calls on the result.
	System(ctx context.Context) Records

	// Close waits for the transactions under way and releases everything. A
	// second one returns nil. Later calls return ErrClosed.
	Close() error
}

// A Reader reads what one owner has. Every result is the caller's own.
// Paths given to it are valid ones.
type Reader interface {
	// Owner returns the owner's state; the zero value if it never wrote.
	Owner() (OwnerState, error)

	// File returns the head of a path with the owner's state. A path that
	// never was has the zero FileHead but for its Path; a deleted one keeps its
	// Version and is Deleted.
	File(path string) (FileHead, OwnerState, error)

	// Current returns the head of a path and its current version with content.
	// The version is zero where the head says that there is none.
	Current(path string) (FileHead, Version, error)

	// Version returns a retained version with its content, else ErrNotFound.
	Version(path string, n int64) (Version, error)

	// Versions returns the retained versions in ascending order, without content.
	Versions(path string) ([]Version, error)

	// Files returns the heads of live files below a byte prefix, in byte order
	// of path, from the first one after the given, at most limit of them; limit
	// is above 0.
	Files(prefix, after string, limit int) ([]FileHead, error)

	// Log is to logs what File is to files.
	Log(path string) (LogHead, OwnerState, error)

	// Entries returns entries of a log in ascending order.
	Entries(path string, q EntryQuery) ([]Entry, error)

	// EntryBytes returns the bytes of content that the entries of a log have
	// together, those up to a number; 0 where there is none.
	EntryBytes(path string, through int64) (int64, error)

	// Logs is to logs what Files is to files.
	Logs(prefix, after string, limit int) ([]LogHead, error)

	// Summary returns the summary of a file that is kept under the key, with its
	// content, else ErrNotFound.
	Summary(path string, k SummaryKey) (Summary, error)

	// Request returns the request kept under an idempotency key, else ErrNotFound.
	Request(key string) (Request, error)
}

// A Tx changes what one owner has, and reads its own changes.
type Tx interface {
	Reader

	// SaveFile stores a change of a file and the owner's state after it.
	SaveFile(FileChange) error

	// SaveLog stores a change of a log and the owner's state after it.
	SaveLog(LogChange) error

	// SaveSummary keeps a summary, in place of one under its key, and the file's
	// head and the owner's state after it.
	SaveSummary(SummaryChange) error

	// FoldFiles forgets the n deleted paths that were deleted first, and
	// returns the highest version among them. FoldLogs likewise, with the
	// highest entry number.
	FoldFiles(n int) (highest int64, err error)
	FoldLogs(n int) (highest int64, err error)

	// SaveRequest keeps a request under its key, in place of one kept before.
	SaveRequest(Request) error

	// DropRequests removes at most n of the requests kept since before the time
	// from or after the time to, the oldest first, and says how many it removed.
	DropRequests(from, to time.Time, n int) (int, error)

	// SaveOwner stores the owner's state alone. Of an owner whose state is zero
	// nothing is left.
	SaveOwner(OwnerState) error
}

// Usage counts what an owner has. Bytes are those of all retained versions,
// entries and summaries.
type Usage struct {
	Files, Logs, Entries, Bytes int64
	Operations                  int64 // calls that succeeded, reads included
}

// OwnerState is the one record of an owner: its usage, and what keeps numbers
// from being given twice.
type OwnerState struct {
	Usage
	FileFloor, LogFloor       int64 // a path that is new starts above it
	DeletedFiles, DeletedLogs int64 // deleted paths whose number is still kept
	Requests                  int64
	Versions                  int64     // retained, of all files
	Updated                   time.Time // of the last write; zero: not known
}

// Charge returns the bytes that the owner's rows count against [Limits.Bytes],
// beside those of what is in them.
func (s OwnerState) Charge() int64 {
	return (s.Files+s.Logs)*PathBytes + s.Versions*VersionBytes + s.Entries*EntryBytes + s.Requests*RequestBytes
}

// IsDeleted reports whether nothing is left of an owner but the numbers that it
// had reached.
func (s OwnerState) IsDeleted() bool {
	return s != OwnerState{} && s == OwnerState{FileFloor: s.FileFloor, LogFloor: s.LogFloor, Updated: s.Updated}
}

// Totals are sums over the owners of a tenant. Agents are those that hold anything.
type Totals struct {
	Agents                                          int64
	Files, Logs, Entries, Versions, Requests, Bytes int64
}

// Charged returns what counts against [StoreLimits.Bytes]: the content, and the
// charge for its rows.
func (t Totals) Charged() int64 {
	s := OwnerState{Usage: Usage{Files: t.Files, Logs: t.Logs, Entries: t.Entries, Bytes: t.Bytes}, Versions: t.Versions, Requests: t.Requests}
	return s.charged()
}

// OwnerUsage is an owner in a list.
type OwnerUsage struct {
	Owner Owner
	Usage Usage
}

// Author is who wrote a version or an entry, as far as it is known.
type Author struct {
	Client  string // the name that an MCP client gives itself
	Version string // the client's
	Key     string // the id of the API key, never the key
}

// FileHead is what is kept of a path besides its versions. The retained
// versions are the len(Sizes) newest, without gaps, Version the last of them.
type FileHead struct {
	Path    string
	Version int64   // the highest ever given; 0: there never was one
	Sizes   []int64 // bytes of each retained version, the oldest first
	Summary int64   // bytes of the summaries that are kept
	Deleted bool
	Created time.Time // of the first version since the path was new or deleted
	Updated time.Time // of the last write or the deletion
}

// Exists reports whether the path is a file now.
func (h FileHead) Exists() bool { return h.Version > 0 && !h.Deleted }

// Oldest returns the lowest version that is retained; above Version if none is.
func (h FileHead) Oldest() int64 { return h.Version - int64(len(h.Sizes)) + 1 }

// Size returns the bytes of the current version.
func (h FileHead) Size() int64 {
	if len(h.Sizes) == 0 {
		return 0
	}
	return h.Sizes[len(h.Sizes)-1]
}

// Version is one version of a file. A list of versions carries no Content.
type Version struct {
	Number  int64
	Size    int64
	SHA256  [sha256.Size]byte
	Author  Author
	Time    time.Time
	Content []byte
}

// FileChange is a change of one file, to be stored whole.
type FileChange struct {
	Head   FileHead
	New    *Version   // nil: none, as in a deletion
	Prune  int64      // versions up to this number are removed; 0: none
	Pruned int        // how many those are, where it is known; a hint
	Forget bool       // all summaries of the file are removed
	Owner  OwnerState // after the change
}

// SummaryKey says of what a summary was made, and how.
type SummaryKey struct {
	Version int64  // of the file
	Method  string // outline, or the provider of the model
	Model   string // "" without one
	Prompt  string // the version of the rules or the prompt
}

// Summary is what was made of a version of a file.
type Summary struct {
	SummaryKey
	SHA256  [sha256.Size]byte
	Tokens  int64 // about what it costs a model
	Time    time.Time
	Content []byte
}

// SummaryChange keeps a summary of a file.
type SummaryChange struct {
	Head  FileHead
	New   Summary
	Owner OwnerState // after the change
}

// LogHead is what is kept of a log besides its entries, which are numbered
// First to Last without gaps.
type LogHead struct {
	Path    string
	First   int64 // Last+1 when the log holds none
	Last    int64 // the highest number ever given; 0: there never was one
	Bytes   int64
	Deleted bool
	Created time.Time
	Updated time.Time
}

// Exists reports whether the path is a log now.
func (h LogHead) Exists() bool { return h.Last > 0 && !h.Deleted }

// Entries returns how many entries the log holds.
func (h LogHead) Entries() int64 {
	if !h.Exists() {
		return 0
	}
	return h.Last - h.First + 1
}

// Entry is one entry of a log.
type Entry struct {
	ID      int64
	SHA256  [sha256.Size]byte
	Author  Author
	Time    time.Time
	Content []byte
}

// EntryQuery says which entries: those after After, or the newest when Tail is
// set, at most Limit of them, and no more than have MaxBytes of content
// together, but one at least. A Limit or MaxBytes of 0 does not limit.
type EntryQuery struct {
	After    int64
	Tail     bool
	Limit    int
	MaxBytes int64
}

// LogChange is a change of one log, to be stored whole.
type LogChange struct {
	Head  LogHead
	New   []Entry
	Prune int64      // entries up to this number are removed, before New is added; 0: none
	Owner OwnerState // after the change
}

// Request is a write that carried an idempotency key, and what it was answered.
type Request struct {
	Key     string
	Hash    [sha256.Size]byte // of the operation and all its arguments
	Time    time.Time
	Outcome Outcome
}

// Outcome is what the answer to a repeated request is built from again.
type Outcome struct {
	Number int64 // the version, or the last entry
	Count  int64 // replacements, entries, or versions removed
	Bytes  int64
}

// Records are small values under keys, each with a revision: a number above 0
// that every Put draws anew and none draws again, also after a Delete.
type Records interface {
	// Get returns a record, else ErrNotFound.
	Get(key string) (Record, error)

	// Put stores a value if the record is still at the revision, 0 if there must be
	// none, and returns the new revision; else ErrConflict.
	Put(key string, value []byte, revision int64) (int64, error)

	// Delete removes a record if it is still at the revision, else ErrConflict;
	// one that is not there is ErrNotFound.
	Delete(key string, revision int64) error

	// List returns the records below a byte prefix in byte order of key.
	List(prefix string) ([]Record, error)
}

// Record is one small record of the installation.
type Record struct {
	Key      string
	Value    []byte
	Revision int64
	Updated  time.Time
}

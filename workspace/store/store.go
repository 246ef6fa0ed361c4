package store

import (
	"context"
	"iter"
)

// A Store keeps what agents own. It knows no rule: package workspace applies them all,
// and the store runs its transactions. Package storetest is the specification that every
// Store passes. A Store is safe for concurrent use.
type Store interface {
	// View runs fn on one consistent snapshot of what the owner has. fn must not keep
	// the Reader. It may run more than once, each time on another snapshot: it sets all
	// of its results on each run. An error of fn is returned as it is. A panic or a
	// [runtime.Goexit] in fn reaches the caller, and the store goes on.
	View(ctx context.Context, o Owner, fn func(Reader) error) error

	// Update runs fn in a transaction bound to the owner. If it returns nil, the changes
	// of fn are durable, and every later View sees them, in every process. If fn returns
	// an error, Update undoes all changes and returns that error, but not before
	// everything that fn may have seen is durable.
	//
	// The Updates of one owner run one after the other. fn may run on another goroutine,
	// and more than once: it sets all of its results on each run, and does nothing but
	// call the Tx. A panic or a [runtime.Goexit] in fn undoes its changes and is raised
	// in the caller's goroutine.
	//
	// If ctx ends before fn has started, nothing happens, and the error wraps [ErrBusy]
	// for a deadline, else [context.Canceled]. If ctx ends during the commit, the error
	// wraps [ErrOutcomeUnknown].
	Update(ctx context.Context, o Owner, fn func(Tx) error) error

	// Count adds reads to the operations of owners, all in one transaction. It leaves out
	// an owner that holds nothing, and one whose state is damaged.
	Count(ctx context.Context, reads map[Owner]int64) error

	// Owners lists owners, or adds up what they have. It waits for no transaction. It is for
	// operators: an agent never reaches it.
	Owners(ctx context.Context, q OwnersQuery) (OwnerList, error)

	// Dump calls fn with every row of an owner, once, in one consistent snapshot. It needs
	// no more memory for an owner with more rows. The order is the same in all stores: the
	// state, the changes by revision, the files by path, each with its versions by number
	// and then its summaries by version, method, model and prompt, the logs by path, each
	// with its entries by number, and the requests by key. Texts are in byte order. A row
	// is fn's own. An owner that has nothing has no rows.
	//
	// A row without the row that it belongs to, such as a version of a path that is no
	// file, is given all the same, where it would stand. A damaged row ends Dump with
	// [ErrCorrupt]. Package dump finds what is missing.
	//
	// An error of fn ends Dump and is returned as it is. If ctx ends, Dump ends with the
	// error of an Update that has not started. A panic or a [runtime.Goexit] in fn reaches
	// the caller, and the store goes on. fn may take its time, and use other stores.
	Dump(ctx context.Context, o Owner, fn func(Row) error) error

	// Restore stores the rows of an owner, in one transaction, as Dump gave them: with
	// their numbers and times. It does not keep the rows. The error is [ErrConflict] if the
	// owner has a row of any kind. Rows that do not fit together, and those in another
	// order, are [ErrInvalid], and content that does not match its SHA-256 is [ErrCorrupt]:
	// package dump has the rules. An error of rows is returned as it is. After any error
	// but [ErrOutcomeUnknown] nothing of the rows is left.
	//
	// Restore may range over rows on another goroutine, and more than once, each time from
	// the first row. It does not once it has returned. rows must not change this store, and
	// must not wait for anybody who does. A panic or a [runtime.Goexit] in rows is raised in
	// the caller's goroutine.
	//
	// If ctx ends before the last row, Restore ends with the error of an Update that has
	// not started. If ctx ends during the commit, the error may be [ErrOutcomeUnknown].
	Restore(ctx context.Context, o Owner, rows iter.Seq2[Row, error]) error

	// Watch returns a channel that tells whose journal of changes has grown. It tells of
	// a write of this process at once, and of another's within 500 ms. The zero Owner
	// stands for all owners: any may have written. Watch is best effort: what was told
	// may not be there, and an owner that is told once may have written several times.
	// But after the last write of an owner, the owner is told, or the zero Owner. The
	// channel is closed when ctx ends, or the store is closed.
	Watch(ctx context.Context) (<-chan Owner, error)

	// System returns the records of the installation, which no agent owns. The context
	// holds for the calls on the result.
	System(ctx context.Context) Records

	// Close waits for the transactions that are running and releases everything. A
	// second Close returns nil. Other calls after it return [ErrClosed].
	Close() error
}

// A Reader reads what one owner has. Paths that it is given are valid. Every result is
// the caller's own.
type Reader interface {
	// Load reads in one go what one call of an agent needs. A store that is reached over
	// a network answers it in one round trip. [Loaded.Reconcile] has the rules that a Loaded
	// keeps.
	Load(Query) (Loaded, error)

	// Scan lists files or logs that exist, in byte order of path. A store that is reached over
	// a network answers it in one round trip. With Contents, a version that is missing or
	// damaged is [ErrCorrupt].
	Scan(ScanQuery) (Scanned, error)

	// Owner returns the owner's state, the zero value if it never wrote.
	Owner() (OwnerState, error)

	// Entries returns entries of a log, the oldest first.
	Entries(path string, q EntryQuery) ([]Entry, error)

	// Changes returns rows of the journal of changes, in order, from the first one after
	// a revision, at most limit of them. limit is above 0.
	Changes(after int64, limit int) ([]Change, error)

	// Summaries returns the summaries that are kept of a file, without content, in byte
	// order of version, method, model and prompt.
	Summaries(path string) ([]Summary, error)
}

// A Tx changes what one owner has, and reads its own changes.
type Tx interface {
	Reader

	// Apply stores a write, with the row of the journal and the owner's state that come
	// with it.
	Apply(Write) error

	// ForgetDeleted forgets the n files or logs that were deleted first, and returns the
	// highest version, or the highest entry number, among them.
	ForgetDeleted(kind PathKind, n int) (highest int64, err error)

	// Forget removes what is old.
	Forget(Old) error
}

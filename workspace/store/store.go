package store

import (
	"context"
	"iter"
)

// A Store keeps the data of agents. It knows no rule: package workspace applies all rules,
// and the store runs the transactions. Package storetest is the specification that every
// Store passes. A Store is safe for concurrent use.
type Store interface {
	// View runs fn on one consistent snapshot of the owner's data. fn must not keep the
	// Reader. View may run fn more than once, each time on another snapshot. So fn must set
	// all of its results on each run. View returns an error of fn unchanged. A panic or a
	// [runtime.Goexit] in fn reaches the caller, and the store stays usable.
	View(ctx context.Context, o Owner, fn func(Reader) error) error

	// Update runs fn in a transaction that sees and changes the owner's data alone. If Update
	// returns nil, the changes of fn are durable, and every later View sees them, in every
	// process. If fn returns an error, Update undoes all changes and returns that error
	// unchanged. Before it returns, it waits until all data that fn may have seen is durable.
	//
	// The Updates of one owner run one after the other, in all processes. Update may run fn on
	// another goroutine, and more than once. So fn must set all of its results on each run,
	// and do nothing but call the Tx. A panic or a [runtime.Goexit] in fn undoes its changes
	// and is raised in the caller's goroutine.
	//
	// If ctx ends before fn has started, nothing happens. The error then wraps [ErrBusy] for
	// a deadline, else [context.Canceled]. If ctx ends during the commit, Update either
	// returns the outcome or an error that wraps [ErrOutcomeUnknown].
	Update(ctx context.Context, o Owner, fn func(Tx) error) error

	// Count adds the number of reads of each owner to the Operations of the owner, all in one
	// transaction. It leaves out owners that hold nothing, and owners whose state is damaged.
	Count(ctx context.Context, reads map[Owner]int64) error

	// Owners lists owners, or adds up their usage. Owners waits for no transaction. Its lists
	// are for operators, and never shown to an agent.
	Owners(ctx context.Context, q OwnersQuery) (OwnerList, error)

	// Dump calls fn once with every row of an owner, from one consistent snapshot. It needs
	// no more memory for an owner with more rows. The order is the same in all stores: first
	// the state; then the changes by revision; then the files by path, each with its versions
	// by number and its summaries by version, method, model and prompt; then the logs by path,
	// each with its entries by number; then the requests by key. Texts are in byte order. fn
	// may keep and change a row. An owner without data has no rows.
	//
	// Dump also returns a row if the row that it belongs to is missing, such as a version of a
	// path without a head. A damaged row ends Dump with [ErrCorrupt]. Package dump finds
	// missing rows.
	//
	// If fn returns an error, Dump ends and returns that error unchanged. If ctx ends, Dump
	// ends with the error of an Update that has not started. A panic or a [runtime.Goexit] in
	// fn reaches the caller, and the store stays usable. fn may take its time, and may use
	// other stores.
	Dump(ctx context.Context, o Owner, fn func(Row) error) error

	// Restore stores rows that Dump returned for an owner, in one transaction, with their
	// numbers and times. Restore copies what it keeps of a row. The error is [ErrConflict] if
	// the owner already has a row of any kind, [ErrInvalid] if rows do not fit together or are
	// in another order, and [ErrCorrupt] if a content does not match its SHA-256. Package dump
	// has the rules. If rows yields an error, Restore returns that error unchanged. After any
	// error but [ErrOutcomeUnknown], the store keeps none of the rows.
	//
	// Restore may range over rows on another goroutine, and more than once, each time from
	// the first row. It does not use rows after it has returned. rows must not change this
	// store, and must not wait for anybody who changes it. A panic or a [runtime.Goexit] in
	// rows is raised in the caller's goroutine.
	//
	// If ctx ends before the last row, Restore ends with the error of an Update that has
	// not started. If ctx ends during the commit, the error may be [ErrOutcomeUnknown].
	Restore(ctx context.Context, o Owner, rows iter.Seq2[Row, error]) error

	// Watch returns a channel that receives an owner after each write to the owner's journal
	// of changes: at once for a write of this process, and within 500 ms for a write of another
	// process. The zero Owner means that any owner may have written. Watch is best effort: an
	// owner may come without a write, and may come once for several writes. But after the last
	// write of an owner, that owner or the zero Owner comes. The channel is closed when ctx
	// ends or the store is closed.
	Watch(ctx context.Context) (<-chan Owner, error)

	// System returns the records of the database, which no agent owns. All calls on the
	// result use ctx.
	System(ctx context.Context) Records

	// Close waits for running transactions, and releases all resources. A second Close
	// returns nil. All other calls after Close return [ErrClosed].
	Close() error
}

// A Reader reads the data of one owner. The paths in its arguments are valid. The caller may
// keep and change every result.
type Reader interface {
	// Load reads all data that one call of an agent needs. A store that is reached over a
	// network answers in one round trip. The result is as [Loaded.Reconcile] leaves it.
	Load(Query) (Loaded, error)

	// Scan lists files or logs that exist, in byte order of path, or deleted files. A store that is reached over
	// a network answers in one round trip. With Contents, the error is [ErrCorrupt] if a
	// version is missing or damaged.
	Scan(ScanQuery) (Scanned, error)

	// Owner returns the owner's state, or the zero value if the owner has none.
	Owner() (OwnerState, error)

	// Entries returns the entries of a log that q selects, the oldest first.
	Entries(path string, q EntryQuery) ([]Entry, error)

	// Changes returns rows of the journal of changes in ascending order, from the first row
	// after the revision after. It returns at most limit rows. limit is above 0.
	Changes(after int64, limit int) ([]Change, error)

	// Summaries returns the stored summaries of a file without content, ordered by version,
	// method, model and prompt. Texts are in byte order.
	Summaries(path string) ([]Summary, error)
}

// A Tx reads and changes the data of one owner. Its reads see its own changes.
type Tx interface {
	Reader

	// Apply stores a write, with its row for the journal and its new state of the owner.
	Apply(Write) error

	// ForgetDeleted removes the heads of the n files or logs that were deleted first. Heads of
	// files that retain versions stay. It returns the highest version, or the highest entry
	// number, of the heads that it removes.
	ForgetDeleted(kind PathKind, n int) (highest int64, err error)

	// Forget removes the requests and the rows of the journal that Old selects.
	Forget(Old) error
}

// Package store says what a backend of a workspace must do. A backend implements [Store]
// with [Reader], [Tx] and [Records]. Package workspace has every rule. It also has aliases
// for the names of this package that its users need. So a program that only uses workspaces
// does not import this package.
//
// # How a call flows
//
// A call of an agent checks its arguments and does all slow work. Then it runs one
// transaction, which sees the data of one [Owner] alone.
//
// A call that reads runs a function in [Store.View]. The function passes one [Query] to
// [Reader.Load], which answers from one snapshot. Lists and searches use [Reader.Scan].
//
// A call that writes runs a function in [Store.Update]. The function loads the heads of
// its paths and the [OwnerState], and decides what to change. It numbers the new version or
// the new entries, and counts them in the owner's state. Then it passes all of this to
// [Tx.Apply], for example as a [FileChange]. The backend stores the new content and the
// [Change] for the journal, and replaces the old head and the old state of the owner. It
// removes the rows that the write names. It computes nothing. If the function returns an
// error, the backend keeps nothing of this.
//
// # What a backend promises
//
//   - An Update is all or nothing. When it returns nil, its changes are durable.
//   - The Updates of one owner run one after the other, in all processes.
//   - A View is one consistent snapshot.
//   - No owner sees the data of another owner. Records are shared: they have no owner.
//   - A read returns exactly the bytes that were written. If data is damaged or missing, the
//     error is [ErrCorrupt].
//   - An error wraps a kind, such as [ErrBusy] or [ErrStorageFull]. [Errorf] makes such errors.
//
// A backend need not check paths, sizes, limits, versions or conditions: its arguments are
// valid. The comments of the methods have the details, and package storetest checks every
// backend against them. Package memstore is the smallest backend.
//
// [Loaded.Reconcile] helps to implement [Reader.Load], and [Watchers] help to implement
// [Store.Watch]. Package dump makes the checks that [Store.Restore] needs.
package store

// Where to begin: store.go has the interfaces. file.go, log.go, change.go and owner.go
// have what they carry, row.go what a dump has, load.go a query and its answer. error.go has
// the parts of an error, wording.go its words.

// Package store says what a backend of a workspace must do. A backend implements [Store]
// with [Reader], [Tx] and [Records]. Package workspace has every rule. It also has aliases
// for the names of this package that its users need, so a program that only uses
// workspaces does not import this one.
//
// # How a call flows
//
// A call of an agent checks its arguments, prepares all that takes time, and then runs
// one transaction, which is bound to its [Owner].
//
// A call that reads runs a function in [Store.View]. The function says in one [Query]
// what it needs, and [Reader.Load] answers from one snapshot. Lists and searches use
// [Reader.Scan].
//
// A call that writes runs a function in [Store.Update]. The function loads the heads of
// its paths and the [OwnerState], and decides what is to change. It numbers the new
// version or the new entries, and counts them in the owner's state. Then it passes all
// of this to [Tx.Apply], for example as a [FileChange]. The backend stores what it is given:
// the new content, the head in place of the head before, the [Change] for the journal, and
// the owner's state in place of the state before. It removes what the write says, and
// computes nothing. If the function returns an error, nothing of this is left.
//
// # What a backend promises
//
//   - An Update is all or nothing. When it returns nil, its changes are durable.
//   - The Updates of one owner run one after the other, in all processes.
//   - A View is one consistent snapshot.
//   - No owner sees what another has. Records are the exception: no owner has them.
//   - Bytes come out as they went in. What is damaged or missing is [ErrCorrupt], never
//     another answer.
//   - Its errors wrap a kind, such as [ErrBusy] or [ErrStorageFull]. [Errorf] makes one.
//
// A backend need not check paths, sizes, limits, versions or conditions: what it is given
// is valid. The comments of the methods have the details, and package storetest checks
// every backend against them. Package memstore is the smallest backend.
//
// [Loaded.Reconcile] helps to implement [Reader.Load], and [Watchers] help to implement
// [Store.Watch]. Package dump has what [Store.Restore] checks.
package store

// Where to begin: store.go has the interfaces. file.go, log.go, change.go and owner.go
// have what they carry, row.go what a dump has, load.go a query and its answer. error.go has
// the parts of an error, wording.go its words.

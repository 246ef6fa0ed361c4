// Package dbcopy copies a whole database into another one that holds nothing: every row of
// every owner of all tenants, and all records of the installation, with their numbers and
// times. The two may be of different kinds.
//
// # A copy that is killed
//
// The first thing that [Copy] writes is a record that the copy is not complete, the last
// thing that it does is to remove that record. Until then [Unfinished] refuses the
// database. A second Copy of the same source goes on where the first one stopped: owners
// are copied one by one, each as a whole.
//
// # A source that changes
//
// Copy changes nothing in the source, and stops nobody from changing it. So the source's
// servers should be stopped before. Copy does not rely on that: at the end it compares each
// owner of the copy with the source, row by row, and then looks once more whether one has
// changed since. If anything differs, Copy names it, returns [workspace.ErrConflict], and
// leaves the copy unfinished. What is written to the source after that last look is not in
// the copy.
package dbcopy

// Where to begin: copy.go has Copy and its steps, compare.go what it compares. unfinished.go
// has the record of a copy, records.go copies those of the source.

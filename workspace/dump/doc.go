// Package dump checks and compares what owners have, in any store. It reads the rows that
// [store.Store.Dump] gives.
//
// A [Checker] finds rows that do not fit together: wrong SHA-256 of contents, missing
// versions, entries and changes, and counters that differ from the rows. Its [Report] has a
// digest of all rows, which is the same for equal rows in every store. [Fitting] is for the
// Restore of a store: it ends with an error at the first row that does not fit.
//
// The package does not check the rules of package workspace, such as what a path may be.
package dump

// Where to begin: check.go has the Checker, the order of rows and the digest, path.go the rules
// of files and logs, rows.go the iterators.

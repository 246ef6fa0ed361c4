// Package sqlite is a [workspace.Store] in one SQLite file, the default: no
// cgo, no server, several processes on one file.
//
// A write that was acknowledged survives a power cut: the file is in WAL mode
// with synchronous=FULL (unless [Options].Durability says less), and one writer
// goroutine commits the functions of many callers in one transaction (writer.go).
// An answer that stores nothing, as to a repeated request, is given when what it
// rests on is durable (synced.go). A failed sync makes the store read-only, also
// one in a checkpoint (checkpoint.go). Between processes, side files beside the
// database give each its turn (turn.go). A database is looked at, read-only,
// before it is opened for writing (look.go): what is foreign, newer or damaged
// keeps its bytes. Nothing is ever renamed, re-created, converted or repaired.
// Before it acknowledges anything, the writer checks that the open files are still
// those at their paths (identity.go) and that the schema is still the one it knows
// (fence.go).
//
// It is not for network file systems, which do not keep the locks that SQLite
// needs: Open refuses them.
package sqlite

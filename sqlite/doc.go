// Package sqlite stores workspaces in one SQLite file. Its [Store] is the default
// [store.Store]: it needs no server and no cgo, and several processes may use the
// same file.
//
// # Durability
//
// A write that was acknowledged survives a power cut: the database is in WAL mode with
// synchronous=FULL. An answer that stores nothing, such as the answer to a repeated
// request, is given only when the data it rests on is durable. If the disk fails to confirm a
// write, the store takes no more writes until the process is started again.
//
// # Files
//
// These files stand beside a database scratchpad.db:
//
//	scratchpad.db-wal             SQLite's write-ahead log: the newest commits
//	scratchpad.db-shm             SQLite's index of that log
//	scratchpad.db-turn            a lock file: whose turn to write is next
//	scratchpad.db-write           a lock file: who may write
//	scratchpad.db-reserve         4 MiB that are given up when the disk is full, so that
//	                              something can be deleted
//	scratchpad.db-schema4-backup  a copy from before the migration from schema 4; it
//	                              stays until somebody removes it
//
// The log is a part of the database while a process has the database open, and after a
// crash. When the last process has closed the database, only scratchpad.db matters.
//
// A database is first opened for reading, and checked. One that belongs to another
// program, was written by a newer version, or is damaged is refused and not changed.
// Nothing is ever renamed, made again, converted or repaired.
//
// # Redaction
//
// A redaction removes the content of one version for good. When it is answered, it is
// durable, and nobody reads the content any more. Bytes of it are then still in the
// database file and in the log, because SQLite leaves copies behind when it moves rows between
// pages, also with PRAGMA secure_delete. So the store writes the whole database anew in the
// background, with VACUUM, and empties the log. A file of less than 64 MB is written anew at once.
// That takes a third of a second, and writes wait. A larger file is written anew when nobody
// has written for ten seconds, at most once an hour, or when [Store.Scrub] is called. It
// must be sound, and three times its size must be free. A reader that began before
// keeps the log from being emptied until it ends. [Store.Close] goes on for up to three seconds.
// A record in the database says what is due. If a process does not come to the end, the next one
// that opens the database begins again.
//
// VACUUM makes a temporary file with all content that is still there. It is made in
// SQLite's folder for temporary files, which $SQLITE_TMPDIR or $TMPDIR can name, has mode 0600,
// and on Unix no name. So it is gone when the work or the process ends.
//
// The following are not reached: other versions with the same content, also those that a
// move or a restore of the version has made; backups, exports and the copy from before a
// migration; blocks that the file system or the disk has kept of a file that became shorter
// or was written elsewhere; the memory and the swap space of processes.
//
// The package is not for network file systems, which do not keep the locks that SQLite
// needs. [Open] refuses them.
package sqlite

// Where to begin:
//
//   - open.go opens a database. look.go checks it first, objects.go what is in it. schema.go
//     makes a new one, migrate.go brings an older one to the present schema.
//   - queue.go holds the functions that wait. writer.go is the goroutine that runs them,
//     and group.go runs many of them in one transaction. fence.go and lost.go
//     check that the schema and the files are still the same. checkpoint.go keeps the log
//     short.
//   - reader.go and tx.go are the SQL of a caller's function, change.go that of the journal
//     of changes, owners.go that of operators. watch.go tells of new rows in the journal.
//   - scrub.go removes from the file what is left of redacted content.
//   - stats.go says what the store does, ready.go whether it takes writes.
//   - dump.go and restore.go are the SQL of whole owners, verify.go checks their rows.
//   - internal/row has the form of each row, made from [store.Tables]. Its owner.go says how
//     the one row is read whose form differs between schemas.
//   - internal/engine runs statements on SQLite, and has its errors.
//   - internal/dbfile has the files beneath the database.

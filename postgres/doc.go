// Package postgres stores workspaces in PostgreSQL, for any number of servers over one
// database. Its [Store] is a [store.Store] like that of package sqlite. It needs
// PostgreSQL 14 or newer, with the encoding UTF8.
//
// # Transactions
//
// An Update locks the row of its owner in table owners, and then reads the rest. So the
// Updates of one owner run one after the other, whichever server they come from, and those
// of different owners do not wait for each other. Within a process, the Updates of one
// owner wait for their turn before they take a connection.
//
// An Update takes two round trips. The first begins the transaction, locks the owner and
// loads what the function asks for. Writes are held back, and go to the server together
// with COMMIT in the second. A View takes one if its function calls one method.
//
// # Durability
//
// A write that was acknowledged survives a crash of the server, and a failover if the
// server waits for a synchronous standby. Every transaction sets synchronous_commit to on
// at least. A COMMIT is never cancelled. When its answer does not come, or comes with a
// warning, the error is [store.ErrOutcomeUnknown]. Only what is known not to have
// happened is run again. An answer that stores nothing is given after a COMMIT too, which
// waits until all that it rests on is as durable as a write.
//
// # What it needs of the server
//
// All tables are in the first schema of search_path. No sequence, foreign key or trigger is
// shared by owners, and each statement on an owner's rows names that one owner. The package
// works behind pgbouncer in transaction mode: it uses no named statements, and but for the
// LISTEN of a watcher, nothing outlives a transaction. Watchers then learn of the writes of
// other processes within about half a second, because a NOTIFY does not get through.
package postgres

// Where to begin:
//
//   - open.go opens a store, schema.go makes its tables. pool.go has the connections, and
//     the turns of owners.
//   - view.go and update.go run the functions of callers. reader.go and tx.go are their SQL,
//     rows.go the form of each row.
//   - owners.go and records.go are for operators and for the installation. watch.go tells of
//     writes.
//   - error.go says what an error of the server means.
//   - internal/wire speaks with the server.

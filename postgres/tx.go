package postgres

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// tx is a [store.Tx]. Its first call begins the transaction. Writes are held back until
// the function reads again, or the transaction is committed.
type tx struct {
	reader
	s      *Store
	ctx    context.Context
	lease  lease
	begun  bool
	fresh  bool             // the owner's row is new, made by this transaction
	saved  bool             // the owner's state was stored
	now    store.OwnerState // of the owner, after what is held back
	held   []wire.Statement
	weight int   // bytes of content in held
	pid    int64 // of the server's process that runs the transaction
	sent   bool  // some writes were sent
	grew   bool  // the journal of changes has a new row
	ended  bool  // the function has returned
	failed error // the first error of the server, of the connection, or about the schema
}

// beginWrite begins a transaction with the store's timeouts. SET LOCAL ends with the
// transaction, so the next one on a pooled connection has its own. Whether it may write is
// the server's default. pid gets the number of the server's process that runs it, which a
// connection pooler may change.
func (s *Store) beginWrite(pid *int64) []wire.Statement {
	return []wire.Statement{{SQL: "BEGIN ISOLATION LEVEL READ COMMITTED"},
		{SQL: s.settings, Row: wire.Into(pid)}}
}

// settingsOf returns the statement that sets the timeouts and at least synchronous_commit =
// on.
func settingsOf(o Options) string {
	ms := func(d time.Duration) string { return "'" + strconv.FormatInt(d.Milliseconds(), 10) + "'" }
	return "SELECT pg_backend_pid()::bigint, set_config('lock_timeout', " + ms(o.LockTimeout) + ", true)," +
		" set_config('idle_in_transaction_session_timeout', " + ms(o.IdleTimeout) + ", true)," +
		" set_config('statement_timeout', " + ms(o.StatementTimeout) + ", true)," +
		" set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN " +
		"'remote_apply' ELSE 'on' END, true)"
}

// lockOwner locks the owner's row and reads it. A statement after it sees all that was
// committed before the lock was given.
func lockOwner(owner string) wire.Statement {
	return wire.Statement{SQL: selectOf(store.OwnerTable, "") + " FOR UPDATE",
		Args: []any{owner}}
}

// do implements runner: it sends what is held back, and then the batch.
func (t *tx) do(batch ...wire.Statement) error {
	if t.failed != nil {
		return t.failed
	}
	if t.ended {
		return errEnded
	}
	if !t.begun {
		return t.start(batch)
	}
	if len(batch) == 0 {
		return nil
	}
	if len(t.held) > 0 {
		batch = append(t.held, batch...)
		t.held, t.weight, t.sent = nil, 0, true
	}
	return t.run(batch...)
}

// run keeps the first error of the server. The function's other calls return it too.
func (t *tx) run(batch ...wire.Statement) error {
	err := t.s.run(t.ctx, t.lease.conn(), batch...)
	if err != nil && store.Kind(err) == nil {
		t.failed = err
	}
	return err
}

// start begins the transaction, locks the owner and runs a batch, all in one round trip. An
// owner that has no row gets one, which takes another.
func (t *tx) start(batch []wire.Statement) error {
	all := t.s.beginWrite(&t.pid)
	if t.owner == "" {
		t.begun = true
		return t.run(append(append(all, batch...), t.versionQuery())...)
	}
	const tries = 4 // a row that was there may be gone again
	for range tries {
		found := false
		lock := lockOwner(t.owner)
		lock.Row = func(row *wire.Fields) (err error) {
			found = true
			_, err = readRow(row, t.owner, store.Row{State: &t.now})
			return err
		}
		err := t.run(append(locked(all, lock, batch), t.versionQuery())...)
		t.begun = true
		if err != nil || found {
			return err
		}
		t.fresh = true
		all = []wire.Statement{{SQL: "INSERT INTO owners (owner) VALUES ($1) ON CONFLICT (owner) DO NOTHING",
			Args: []any{t.owner},
			Done: func(n int) { t.fresh = n == 1 }}}
	}
	t.failed = store.Errorf(store.ErrBusy, "%s comes and goes", t.owner)
	return t.failed
}

// locked returns the first batch of a transaction. The lock is a statement of its own before
// those that read: one that waits for a lock reads what was there before it waited. It is a
// variable so that a test can plant that bug.
var locked = func(begin []wire.Statement, lock wire.Statement, batch []wire.Statement) []wire.Statement {
	return append(append(begin, lock), batch...)
}

// versionQuery stops a server that is older than the schema. It comes after the statements
// that may wait for a migration to end.
func (t *tx) versionQuery() wire.Statement {
	return wire.Statement{SQL: "SELECT version FROM schema_version", Row: func(row *wire.Fields) error {
		var version int64
		if t.failed = row.Scan(&version); t.failed == nil {
			t.failed = checkVersion(version) // so that nothing is committed, whatever the function does
		}
		return t.failed
	}}
}

// owned implements runner.
func (t *tx) owned() *store.OwnerState { return &t.now }

// hold keeps statements for later. The first call of all begins the transaction.
func (t *tx) hold(batch ...wire.Statement) error {
	if !t.begun {
		if err := t.do(); err != nil {
			return err
		}
	}
	if t.failed != nil {
		return t.failed
	}
	if t.ended {
		return errEnded
	}
	t.held = append(t.held, batch...)
	for _, s := range batch {
		for _, a := range s.Args {
			if b, ok := a.([]byte); ok {
				t.weight += len(b)
			}
		}
	}
	if t.weight < maxWeight && len(t.held) < maxHeld {
		return nil
	}
	return t.flush()
}

// No more than this is held back, so that a transaction of any size takes little memory.
const (
	maxWeight = 4 << 20
	maxHeld   = 2000
)

// flush sends what is held back.
func (t *tx) flush() error {
	batch := t.held
	t.held, t.weight, t.sent = nil, 0, true
	return t.run(batch...)
}

// forgetUnused removes the row that this transaction made for an owner, if nothing was
// stored in it.
func (t *tx) forgetUnused() {
	if t.fresh && !t.saved {
		t.held = append(t.held, wire.Statement{SQL: "DELETE FROM owners WHERE owner = $1", Args: []any{t.owner}})
	}
}

// The statements that remove versions and entries of a path up to a number.
const (
	pruneVersions = "DELETE FROM versions WHERE owner = $1 AND path = $2 AND version <= $3"
	pruneEntries  = "DELETE FROM entries WHERE owner = $1 AND path = $2 AND entry <= $3"
)

// Apply holds the statements of a write back, with the row of the journal and the owner's
// state after them.
func (t *tx) Apply(w store.Write) error {
	var batch []wire.Statement
	switch w := w.(type) {
	case store.FileChange:
		batch = t.saveFile(w)
	case store.LogChange:
		batch = t.saveLog(w)
	case store.FileMove:
		batch = t.moveFile(w)
	case store.VersionRedaction:
		batch = t.redact(w)
	case store.EntryRedaction:
		batch = t.redactEntry(w)
	case store.SummaryChange:
		batch = []wire.Statement{t.put(store.Row{Summary: &w.New, Path: w.Head.Path}), t.put(store.Row{File: &w.Head})}
	case store.Request:
		batch = []wire.Statement{t.put(store.Row{Request: &w})}
	}
	state, change := w.After()
	if change != nil {
		batch = append(batch, t.put(store.Row{Change: change}))
	}
	switch {
	case state == nil:
	case *state == store.OwnerState{}:
		t.now, t.saved = *state, true
		batch = append(batch, wire.Statement{SQL: "DELETE FROM owners WHERE owner = $1", Args: []any{t.owner}})
	default:
		t.now = *state
		batch = append(batch, t.put(store.Row{State: state}))
	}
	return t.hold(batch...)
}

func (t *tx) saveFile(ch store.FileChange) (batch []wire.Statement) {
	if ch.Prune > 0 {
		batch = append(batch, wire.Statement{SQL: pruneVersions, Args: []any{t.owner, ch.Head.Path, ch.Prune}})
	}
	if ch.New != nil {
		batch = append(batch, t.put(store.Row{Version: ch.New, Path: ch.Head.Path}))
	}
	if ch.Forget {
		batch = append(batch, wire.Statement{SQL: "DELETE FROM summaries WHERE owner = $1 AND path = $2",
			Args: []any{t.owner, ch.Head.Path}})
	}
	return append(batch, t.put(store.Row{File: &ch.Head}))
}

// redact replaces the content in its row. The server's old copy of the row goes with the
// next VACUUM.
func (t *tx) redact(ch store.VersionRedaction) []wire.Statement {
	none := store.Row{Version: &store.Version{Redacted: &ch.Redaction}}
	return append([]wire.Statement{{
		SQL:  "UPDATE versions SET size = 0, sha256 = $4, content = $5 WHERE owner = $1 AND path = $2 AND version = $3",
		Args: []any{t.owner, ch.Head.Path, ch.Number, make([]byte, sha256.Size), none.Content()},
	}}, t.saveFile(store.FileChange{Head: ch.Head, Forget: ch.Forget})...)
}

// redactEntry is redact for an entry.
func (t *tx) redactEntry(ch store.EntryRedaction) []wire.Statement {
	none := store.Row{Entry: &store.Entry{Redacted: &ch.Redaction}}
	return append([]wire.Statement{{
		SQL:  "UPDATE entries SET sha256 = $4, content = $5 WHERE owner = $1 AND path = $2 AND entry = $3",
		Args: []any{t.owner, ch.Head.Path, ch.ID, make([]byte, sha256.Size), none.Content()},
	}}, t.saveLog(store.LogChange{Head: ch.Head})...)
}

// moveFile removes what the other path has above the versions that it may have, before others
// come to it, so that no two have one number.
func (t *tx) moveFile(m store.FileMove) []wire.Statement {
	from, to := m.Changes()
	return slices.Concat([]wire.Statement{
		{SQL: "DELETE FROM versions WHERE owner = $1 AND path = $2 AND version > $3",
			Args: []any{t.owner, m.To.Path, m.Above}},
		{
			SQL:  "UPDATE versions SET path = $3 WHERE owner = $1 AND path = $2 AND version > $4",
			Args: []any{t.owner, m.From.Path, m.To.Path, m.Above},
		},
	}, t.saveFile(from), t.saveFile(to))
}

func (t *tx) saveLog(ch store.LogChange) (batch []wire.Statement) {
	if ch.Prune > 0 {
		batch = append(batch, wire.Statement{SQL: pruneEntries, Args: []any{t.owner, ch.Head.Path, ch.Prune}})
	}
	for i := range ch.New {
		batch = append(batch, t.put(store.Row{Entry: &ch.New[i], Path: ch.Head.Path}))
	}
	return append(batch, t.put(store.Row{Log: &ch.Head}))
}

func (t *tx) ForgetDeleted(kind store.PathKind, n int) (highest int64, err error) {
	table, number, unused := "files", "version", " AND expires = '-infinity'"
	if kind == store.KindLog {
		table, number, unused = "logs", "last", ""
	}
	t.sent = true
	err = t.do(wire.Statement{
		SQL: "DELETE FROM " + table + " WHERE owner = $1 AND path IN (SELECT path FROM " + table +
			" WHERE owner = $1 AND deleted IS NOT NULL" + unused +
			" ORDER BY deleted, path LIMIT $2) RETURNING " + number,
		Args: []any{t.owner, int64(max(n, 0))},
		Row: func(row *wire.Fields) error {
			var number int64
			err := row.Scan(&number)
			highest = max(highest, number)
			return err
		},
	})
	return highest, err
}

func (t *tx) Forget(o store.Old) error {
	var batch []wire.Statement
	if o.Requests > 0 {
		batch = append(batch, wire.Statement{
			SQL: "DELETE FROM requests WHERE owner = $1 AND key IN (SELECT key FROM requests WHERE owner = $1 AND " +
				"(created < $2 OR created > $3)" +
				" ORDER BY created, key LIMIT $4)",
			Args: []any{t.owner, o.DueBefore, o.DueAfter, int64(o.Requests)},
		})
	}
	if o.Changes > 0 {
		batch = append(batch, wire.Statement{SQL: "DELETE FROM changes WHERE owner = $1 AND revision <= $2",
			Args: []any{t.owner, o.Changes}})
	}
	return t.hold(batch...)
}

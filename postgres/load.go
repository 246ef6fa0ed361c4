package postgres

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Load sends all queries in one go. What is to be read does not depend on an answer: the
// server looks up the number of the current version itself.
func (r reader) Load(q store.Query) (store.Loaded, error) {
	if q.File != "" && q == (store.Query{File: q.File, Current: true}) && r.owned() == nil {
		if l, found, err := r.loadCurrent(q.File); found || err != nil {
			return l, err
		}
	}
	var l store.Loaded
	var due int64
	batch := r.loadQueries(q, &l)
	if q.MaxDue > 0 {
		batch = append(batch, r.dueQuery(q.DueBefore, q.DueAfter, q.MaxDue, &due))
	}
	if err := r.withOwner(&l.Owner, batch...); err != nil {
		return store.Loaded{}, err
	}
	l.Due = int(due)
	if q.Entries != nil && q.Entries.Tail {
		slices.Reverse(l.Entries)
	}
	if err := l.Reconcile(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

// selectCurrent joins an owner's state with a file and its current version. The tables are
// joined one by one, because a join of three SELECTs takes the server half as long again.
var selectCurrent = "SELECT " + store.Of("o", store.OwnerTable.Columns) + ", " +
	store.Of("f", store.FileTable.Columns) + ", " + store.Of("v", store.VersionTable.Columns) + ", v.content" +
	" FROM owners o LEFT JOIN files f ON f.owner = $1 AND f.path = $2" +
	" LEFT JOIN versions v ON v.owner = $1 AND v.path = $2 AND v.version = f.version AND f.deleted IS NULL" +
	" WHERE o.owner = $1"

// loadCurrent loads what most reads ask for: a file and its current version. An owner
// without a row is not found.
func (r reader) loadCurrent(path string) (l store.Loaded, found bool, err error) {
	err = r.do(wire.Statement{
		SQL: selectCurrent, Args: []any{r.owner, path},
		New: func() { l, found = store.Loaded{File: store.FileHead{Path: path}}, false },
		Row: func(row *wire.Fields) (err error) {
			found = true
			for _, to := range []store.Row{{State: &l.Owner}, {File: &l.File}, {Version: &l.Version, Path: path}} {
				if _, err = readRow(row, r.owner, to); err != nil {
					break
				}
			}
			return err
		},
	})
	if err == nil && found {
		err = l.Reconcile(store.Query{File: path, Current: true})
	}
	if err != nil {
		return store.Loaded{}, found, err
	}
	return l, found, nil
}

func (r reader) loadQueries(q store.Query, l *store.Loaded) (batch []wire.Statement) {
	if q.File != "" {
		batch = append(batch, r.fileQuery(q.File, &l.File))
		if q.History {
			batch = append(batch, r.versionsQuery(q.File, &l.Versions))
		}
		known := int64(noVersion)
		if q.Version == 0 && q.Since != 0 {
			known = q.Since
		}
		if q.Current || q.Version != 0 {
			batch = append(batch, r.versionQuery(q.File, q.Version, known, q.MaxBytes, &l.Version))
		}
		if q.Since != 0 {
			batch = append(batch, r.versionQuery(q.File, q.Since, noVersion, 0, &l.Old))
		}
	}
	if q.File != "" && q.Summary != nil {
		batch = append(batch, r.summaryQuery(q.File, *q.Summary, &l.Summary))
	}
	if q.To != "" {
		batch = append(batch, r.fileQuery(q.To, &l.To))
	}
	if q.Log != "" {
		batch = append(batch, r.logQuery(q.Log, &l.Log))
		if q.Entries != nil {
			batch = append(batch, r.entriesQuery(q.Log, *q.Entries, &l.Entries))
		}
		if q.Through > 0 {
			batch = append(batch, r.bytesQuery(q.Log, q.Through, &l.Bytes))
		}
	}
	if q.Request != "" {
		batch = append(batch, r.requestQuery(q.Request, &l.Request))
	}
	return batch
}

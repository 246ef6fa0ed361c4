package postgres

import (
	"slices"
	"strings"

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
	if err := r.withOwner(&l.Owner, r.loadQueries(q, &l)...); err != nil {
		return store.Loaded{}, err
	}
	if q.Entries != nil && q.Entries.Tail {
		slices.Reverse(l.Entries)
	}
	if err := l.Settle(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

// selectCurrent joins an owner's state with a file and its current version. The tables are
// joined one by one, because a join of three SELECTs takes the server half as long again.
var selectCurrent = "SELECT " + of("o", ownerColumns) + ", " + of("f", fileColumns) + ", " + of("v", versionColumns) +
	", v.content" +
	" FROM owners o LEFT JOIN files f ON f.owner = $1 AND f.path = $2" +
	" LEFT JOIN versions v ON v.owner = $1 AND v.path = $2 AND v.version = f.version AND f.deleted IS NULL" +
	" WHERE o.owner = $1"

// of returns a list of columns as those of a table.
func of(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

// loadCurrent loads what most reads ask for: a file and its current version. An owner
// without a row is not found.
func (r reader) loadCurrent(path string) (l store.Loaded, found bool, err error) {
	err = r.do(wire.Statement{
		SQL: selectCurrent, Args: []any{r.owner, path},
		New: func() { l, found = store.Loaded{File: store.FileHead{Path: path}}, false },
		Row: func(row *wire.Row) (err error) {
			found = true
			owner, file, version := row.Part(numColumns(ownerColumns)), row.Part(numColumns(fileColumns)), row.Part(numColumns(versionColumns)+1)
			if l.Owner, err = readOwner(owner, r.owner); err != nil || file == nil {
				return err
			}
			if l.File, err = readFile(file); err != nil || version == nil {
				return err
			}
			l.Version, err = readContent(version, path)
			return err
		},
	})
	if err == nil && found {
		err = l.Settle(store.Query{File: path, Current: true})
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
	if q.MaxDue > 0 {
		batch = append(batch, r.dueQuery(q.From, q.Until, q.MaxDue, &l.Due))
	}
	return batch
}

package postgres

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A runner runs statements on one snapshot, or in one transaction.
type runner interface {
	do(batch ...wire.Statement) error
	owned() *store.OwnerState // the owner's state, which do reads; nil: it does not
}

// reader is a [store.Reader].
type reader struct {
	runner
	owner string
}

// The methods that end in Query return a statement that stores what it reads in its last
// argument. A statement may run twice, and begins anew each time.

func (r reader) ownerQuery(s *store.OwnerState) wire.Statement {
	return r.rows(store.OwnerTable, "", selectOf(store.OwnerTable, ""), func() { *s = store.OwnerState{} },
		func(found store.Row) { *s = *found.State })
}

// withOwner runs a batch and reads the owner's state.
func (r reader) withOwner(s *store.OwnerState, batch ...wire.Statement) error {
	owned := r.owned()
	if owned == nil {
		return r.do(append(batch, r.ownerQuery(s))...)
	}
	err := r.do(batch...)
	*s = *owned
	return err
}

func (r reader) Owner() (s store.OwnerState, err error) {
	err = r.withOwner(&s)
	return s, err
}

func (r reader) fileQuery(path string, h *store.FileHead) wire.Statement {
	return r.rows(store.FileTable, "", selectOf(store.FileTable, "")+" AND path = $2",
		func() { *h = store.FileHead{Path: path} }, func(found store.Row) { *h = *found.File }, path)
}

// noVersion is the number of no version.
const noVersion = -1

// versionQuery reads a version of a file, the current one if n is 0. The content is left out
// if the version is known. A current version of more than most bytes is not read; 0: any is.
func (r reader) versionQuery(path string, n, known, most int64, v *store.Version) wire.Statement {
	where, args := " AND version = $4", []any{known, n}
	if n == 0 {
		where = " AND version = (SELECT version FROM files WHERE owner = $1 AND path = $2 AND deleted IS NULL" +
			" AND ($4 = 0 OR sizes[cardinality(sizes)] <= $4))"
		args[1] = most
	}
	return r.rows(store.VersionTable, path,
		selectOf(store.VersionTable, ", CASE WHEN version = $3 THEN NULL ELSE content END")+where,
		func() { *v = store.Version{} }, func(found store.Row) { *v = *found.Version }, args...)
}

func (r reader) versionsQuery(path string, all *[]store.Version) wire.Statement {
	return r.rows(store.VersionTable, path, selectOf(store.VersionTable, withReceipt)+" ORDER BY version",
		func() { *all = nil }, func(found store.Row) { *all = append(*all, *found.Version) })
}

// summaryQuery reads a summary of a file, of the current version if the key has none.
func (r reader) summaryQuery(path string, k store.SummaryKey, s **store.Summary) wire.Statement {
	return r.rows(store.SummaryTable, path, selectOf(store.SummaryTable, withContent)+
		" AND method = $4 AND model = $5 AND prompt = $6 AND version = CASE WHEN $3 <> 0 THEN $3 ELSE"+
		" (SELECT version FROM files WHERE owner = $1 AND path = $2) END",
		func() { *s = nil }, func(found store.Row) { *s = found.Summary }, k.Version, k.Method, k.Model, k.Prompt)
}

func (r reader) Summaries(path string) (list []store.Summary, err error) {
	t := store.SummaryTable
	err = r.do(r.rows(t, path, selectOf(t, "")+" ORDER BY "+t.Key, func() { list = nil },
		func(found store.Row) { list = append(list, *found.Summary) }))
	return list, err
}

// Scan looks up the versions of the files of the page alone.
func (r reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	args := []any{r.owner, int64(q.Limit) + 1}
	if q.Deleted {
		q = store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: q.Limit}
	}
	if q.Contents = q.Contents || q.Versions; q.Contents {
		args = append(args, q.MaxBytes)
	}
	where := "owner = $1 AND " + restorable + " ORDER BY expires, path LIMIT $2"
	if !q.Deleted && !q.Versions {
		where = "owner = $1 AND " + inRange("path", q.Prefix, q.After, &args) +
			" AND deleted IS NULL ORDER BY path LIMIT $2"
	}
	heads := "SELECT " + store.FileTable.Columns + " FROM files WHERE " + where
	switch {
	case q.Kind == store.KindLog:
		heads = "SELECT " + store.LogTable.Columns + " FROM logs WHERE " + where
	case q.Versions:
		heads = selectVersions(q, &args)
	case q.Contents:
		heads = selectCurrentFiles(heads)
	case q.Authors:
		heads = "SELECT h.*, v.client, v.client_version, v.key_id FROM (" + heads +
			") h LEFT JOIN LATERAL (SELECT client, client_version, key_id" +
			" FROM versions WHERE owner = $1 AND path = h.path AND version = h.version LIMIT 1) v ON true ORDER BY " +
			"h.path"
	}
	err = r.do(wire.Statement{SQL: heads, Args: args, New: func() { s = store.Scanned{} },
		Row: func(row *wire.Fields) error {
			if q.Kind == store.KindLog {
				h := store.LogHead{}
				_, err := readRow(row, r.owner, store.Row{Log: &h})
				s.Logs = append(s.Logs, h)
				return err
			}
			return r.scanFile(row, q, &s)
		}})
	if err != nil {
		return store.Scanned{}, err
	}
	s.Cut(q.Limit)
	return s, nil
}

// scanFile adds a file to a page.
func (r reader) scanFile(row *wire.Fields, q store.ScanQuery, s *store.Scanned) error {
	f := store.File{}
	_, err := readRow(row, r.owner, store.Row{File: &f.FileHead})
	switch {
	case err != nil:
	case q.Contents:
		var found int64
		if err = row.Scan(&found); err != nil {
			return err
		}
		there, err := readRow(row, r.owner, store.Row{Version: &f.Current, Path: f.Path})
		if err != nil || !there {
			return cmp.Or(err, store.MissingVersion(f.Version))
		}
		s.More = found > int64(len(s.Files)+1)
	case q.Authors:
		a := &f.Current.Author
		err = row.Scan(&a.Client, &a.Version, &a.Key)
	}
	s.Files = append(s.Files, f)
	return err
}

// selectCurrentFiles adds up the sizes in the heads of a page. Then it looks up the versions
// that are wanted, and no others.
func selectCurrentFiles(heads string) string {
	files, versions := store.FileTable.Columns, store.VersionTable.Columns
	return "SELECT " + store.Of("h", files) + ", h.found, " + store.Of("v", versions) + ", v.content FROM (SELECT " +
		files +
		", count(*) OVER () AS found, row_number() OVER (ORDER BY path) AS n," +
		" sum(greatest(sizes[cardinality(sizes)], 0)) OVER (ORDER BY path ROWS UNBOUNDED PRECEDING) AS bytes" +
		" FROM (" + heads + ") page) h" +
		" LEFT JOIN LATERAL (SELECT " + versions + ", content FROM versions" +
		" WHERE owner = $1 AND path = h.path AND version = h.version LIMIT 1) v ON true" +
		" WHERE h.n < $2 AND (h.bytes <= $3 OR h.n = 1) ORDER BY h.path"
}

// selectVersions adds up the sizes of the versions of a page, and reads the contents of those that
// are wanted. It has the columns of selectCurrentFiles.
func selectVersions(q store.ScanQuery, args *[]any) string {
	where := inRange("path", q.Prefix, "", args)
	if q.After != "" {
		*args = append(*args, q.After, q.Before)
		where += fmt.Sprintf(" AND (path, version) < ($%d, $%d)", len(*args)-1, len(*args))
	}
	const order = "ORDER BY path DESC, version DESC"
	return "SELECT " + store.Of("h", store.FileTable.Columns) + ", n.found, " +
		store.Of("v", store.VersionTable.Columns) + ", v.content FROM (SELECT path, version, " +
		"count(*) OVER () AS found, row_number() OVER (" + order + ") AS n, " +
		"sum(size) OVER (" + order + " ROWS UNBOUNDED PRECEDING) AS bytes " +
		"FROM (SELECT path, version, size FROM versions WHERE owner = $1 AND " + where + " " + order +
		" LIMIT $2) page) n JOIN versions v ON v.owner = $1 AND v.path = n.path AND v.version = n.version " +
		"JOIN files h ON h.owner = $1 AND h.path = n.path WHERE n.n < $2 AND (n.bytes <= $3 OR n.n = 1) " +
		"ORDER BY n.path DESC, n.version DESC"
}

func (r reader) logQuery(path string, h *store.LogHead) wire.Statement {
	return r.rows(store.LogTable, "", selectOf(store.LogTable, "")+" AND path = $2",
		func() { *h = store.LogHead{Path: path} }, func(found store.Row) { *h = *found.Log }, path)
}

// entriesQuery reads entries, the newest first with q.Tail. It sends no more of them than
// are wanted: their bytes are added up by the server.
func (r reader) entriesQuery(path string, q store.EntryQuery, all *[]store.Entry) wire.Statement {
	columns, order, after, next := store.EntryTable.Columns+withContent, "entry", q.After, int64(1)
	if q.Tail {
		order, after, next = "entry DESC", 0, -1
	}
	query, args := selectOf(store.EntryTable, withContent)+" AND entry > $3 ORDER BY "+order, []any{after}
	if q.Limit > 0 {
		query += " LIMIT $4"
		args = append(args, int64(q.Limit))
	}
	if q.MaxBytes > 0 {
		args = append(args, q.MaxBytes)
		query = fmt.Sprintf("SELECT %s FROM (SELECT *, sum("+entryBytes+") OVER (ORDER BY %s ROWS BETWEEN "+
			"UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes, row_number() OVER (ORDER BY %s) AS n FROM (%s) page) "+
			"counted WHERE bytes <= $%d OR n = 1 ORDER BY %s", columns, order, order, query, len(args)+2, order)
	}
	s := r.rows(store.EntryTable, path, query, func() { *all = nil },
		func(found store.Row) { *all = append(*all, *found.Entry) }, args...)
	read := s.Row
	s.Row = func(row *wire.Fields) error {
		if err := read(row); err != nil {
			return err
		}
		if n := len(*all); n > 1 && (*all)[n-1].ID != (*all)[n-2].ID+next {
			return store.Errorf(store.ErrCorrupt, "an entry between %d and %d is missing", (*all)[n-2].ID,
				(*all)[n-1].ID)
		}
		return nil
	}
	return s
}

// entryBytes are the bytes of an entry. A redacted one has none.
const entryBytes = "CASE WHEN sha256 = " + noHash + " THEN 0 ELSE octet_length(content) END"

func (r reader) Entries(path string, q store.EntryQuery) (all []store.Entry, err error) {
	if err = r.do(r.entriesQuery(path, q, &all)); err != nil {
		return nil, err
	}
	if q.Tail {
		slices.Reverse(all)
	}
	return all, nil
}

func (r reader) bytesQuery(path string, through int64, sum *int64) wire.Statement {
	return wire.Statement{
		SQL: "SELECT coalesce(sum(" + entryBytes + "), 0)::bigint FROM entries WHERE owner = $1 AND path = $2 " +
			"AND entry <= $3",
		Args: []any{r.owner, path, through}, Row: wire.Into(sum),
	}
}

func (r reader) requestQuery(key string, to **store.Request) wire.Statement {
	return r.rows(store.RequestTable, "", selectOf(store.RequestTable, "")+" AND key = $2", func() { *to = nil },
		func(found store.Row) { *to = found.Request }, key)
}

func (r reader) dueQuery(from, to time.Time, n int, due *int64) wire.Statement {
	return wire.Statement{
		SQL: "SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = $1 AND (created < $2 OR created > $3) " +
			"LIMIT $4) due",
		Args: []any{r.owner, from, to, int64(n)}, Row: wire.Into(due),
	}
}

// below returns the first text after all those that begin with a prefix, in byte order, and
// false if there is none. In UTF-8 that is the order of the characters' numbers.
func below(prefix string) (string, bool) {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case last == utf8.MaxRune:
			continue
		case last == 0xd7ff: // surrogates are no characters
			last = 0xe000
		default:
			last++
		}
		return prefix + string(last), true
	}
	return "", false
}

// inRange returns a condition for texts that begin with a prefix, and are after another one.
func inRange(column, prefix, after string, args *[]any) string {
	*args = append(*args, prefix, after)
	n := len(*args)
	where := fmt.Sprintf("%s >= $%d AND %s > $%d", column, n-1, column, n)
	if end, ok := below(prefix); ok {
		*args = append(*args, end)
		where += fmt.Sprintf(" AND %s < $%d", column, n+1)
	}
	return where
}

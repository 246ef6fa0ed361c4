package postgres

import (
	"fmt"
	"slices"
	"strings"
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
	return wire.Statement{
		SQL:  "SELECT " + ownerColumns + " FROM owners WHERE owner = $1",
		Args: []any{r.owner},
		New:  func() { *s = store.OwnerState{} },
		Row: func(row *wire.Row) (err error) {
			*s, err = readOwner(row, r.owner)
			return err
		},
	}
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
	return wire.Statement{
		SQL:  "SELECT " + fileColumns + " FROM files WHERE owner = $1 AND path = $2",
		Args: []any{r.owner, path},
		New:  func() { *h = store.FileHead{Path: path} },
		Row: func(row *wire.Row) (err error) {
			*h, err = readFile(row)
			return err
		},
	}
}

// noVersion is the number of no version.
const noVersion = -1

// versionQuery reads a version of a file, the current one if n is 0. The content is left out
// if the version is known. A current version of more than most bytes is not read; 0: any is.
func (r reader) versionQuery(path string, n, known, most int64, v *store.Version) wire.Statement {
	where, args := "version = $4", []any{r.owner, path, known, n}
	if n == 0 {
		where = "version = (SELECT version FROM files WHERE owner = $1 AND path = $2 AND deleted IS NULL" +
			" AND ($4 = 0 OR sizes[cardinality(sizes)] <= $4))"
		args[3] = most
	}
	return wire.Statement{
		SQL: "SELECT " + versionColumns + ", CASE WHEN version = $3 THEN NULL ELSE content END FROM versions" +
			" WHERE owner = $1 AND path = $2 AND " + where,
		Args: args,
		New:  func() { *v = store.Version{} },
		Row: func(row *wire.Row) (err error) {
			*v, err = readContent(row, path)
			return err
		},
	}
}

func (r reader) versionsQuery(path string, all *[]store.Version) wire.Statement {
	return wire.Statement{
		SQL: "SELECT " + versionColumns + ", " + receiptColumn +
			" FROM versions WHERE owner = $1 AND path = $2 ORDER BY version",
		Args: []any{r.owner, path},
		New:  func() { *all = nil },
		Row: func(row *wire.Row) error {
			v, err := readContent(row, path)
			*all = append(*all, v)
			return err
		},
	}
}

// summaryQuery reads a summary of a file, of the current version if the key has none.
func (r reader) summaryQuery(path string, k store.SummaryKey, s **store.Summary) wire.Statement {
	return wire.Statement{
		SQL: "SELECT " + summaryColumns + " FROM summaries WHERE owner = $1 AND path = $2 AND method = $4 AND model " +
			"= $5 AND prompt = $6" +
			" AND version = CASE WHEN $3 <> 0 THEN $3 ELSE (SELECT version FROM files WHERE owner = $1 AND path = " +
			"$2) END",
		Args: []any{r.owner, path, k.Version, []byte(k.Method), []byte(k.Model), []byte(k.Prompt)},
		New:  func() { *s = nil },
		Row: func(row *wire.Row) error {
			found, err := readSummary(row, path)
			*s = &found
			return err
		},
	}
}

func (r reader) Summaries(path string) (list []store.Summary, err error) {
	err = r.do(wire.Statement{
		SQL: "SELECT " + strings.TrimSuffix(summaryColumns, ", content") + ", NULL FROM summaries" +
			" WHERE owner = $1 AND path = $2 ORDER BY version, method, model, prompt",
		Args: []any{r.owner, path},
		New:  func() { list = nil },
		Row: func(row *wire.Row) error {
			s, err := readSummary(row, path)
			list = append(list, s)
			return err
		},
	})
	return list, err
}

// Scan looks up the versions of the files of the page alone.
func (r reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	args := []any{r.owner, int64(q.Limit) + 1}
	if q.Contents {
		args = append(args, q.MaxBytes)
	}
	where := "owner = $1 AND " + inRange("path", q.Prefix, q.After, &args) +
		" AND deleted IS NULL ORDER BY path LIMIT $2"
	heads := "SELECT " + fileColumns + " FROM files WHERE " + where
	switch {
	case q.Kind == store.KindLog:
		heads = "SELECT " + logColumns + " FROM logs WHERE " + where
	case q.Contents:
		heads = selectCurrentFiles(heads)
	case q.Authors:
		heads = "SELECT h.*, v.client, v.client_version, v.key_id FROM (" + heads +
			") h LEFT JOIN LATERAL (SELECT client, client_version, key_id" +
			" FROM versions WHERE owner = $1 AND path = h.path AND version = h.version LIMIT 1) v ON true ORDER BY " +
			"h.path"
	}
	err = r.do(wire.Statement{SQL: heads, Args: args, New: func() { s = store.Scanned{} },
		Row: func(row *wire.Row) error {
			if q.Kind == store.KindLog {
				h, err := readLog(row)
				s.Logs = append(s.Logs, h)
				return err
			}
			return scanFile(row, q, &s)
		}})
	if err != nil {
		return store.Scanned{}, err
	}
	s.Cut(q.Limit)
	return s, nil
}

// scanFile adds a file to a page.
func scanFile(row *wire.Row, q store.ScanQuery, s *store.Scanned) error {
	h, err := readFile(row)
	f := store.File{FileHead: h}
	switch {
	case err != nil:
	case q.Contents:
		found, version := row.Int(), row.Part(numColumns(versionColumns)+1)
		if version == nil {
			return store.MissingVersion(h.Version)
		}
		f.Current, err = readContent(version, h.Path)
		s.More = found > int64(len(s.Files)+1)
	case q.Authors:
		f.Current.Author = readAuthor(row)
	}
	s.Files = append(s.Files, f)
	return err
}

// selectCurrentFiles adds up the sizes in the heads of a page. Then it looks up the versions
// that are wanted, and no others.
func selectCurrentFiles(heads string) string {
	return "SELECT " + of("h", fileColumns) + ", h.found, " + of("v", versionColumns) + ", v.content FROM (SELECT " +
		fileColumns +
		", count(*) OVER () AS found, row_number() OVER (ORDER BY path) AS n," +
		" sum(greatest(sizes[cardinality(sizes)], 0)) OVER (ORDER BY path ROWS UNBOUNDED PRECEDING) AS bytes" +
		" FROM (" + heads + ") page) h" +
		" LEFT JOIN LATERAL (SELECT " + versionColumns + ", content FROM versions" +
		" WHERE owner = $1 AND path = h.path AND version = h.version LIMIT 1) v ON true" +
		" WHERE h.n < $2 AND (h.bytes <= $3 OR h.n = 1) ORDER BY h.path"
}

func (r reader) logQuery(path string, h *store.LogHead) wire.Statement {
	return wire.Statement{
		SQL:  "SELECT " + logColumns + " FROM logs WHERE owner = $1 AND path = $2",
		Args: []any{r.owner, path},
		New:  func() { *h = store.LogHead{Path: path} },
		Row: func(row *wire.Row) (err error) {
			*h, err = readLog(row)
			return err
		},
	}
}

// entriesQuery reads entries, the newest first with q.Tail. It sends no more of them than
// are wanted: their bytes are added up by the server.
func (r reader) entriesQuery(path string, q store.EntryQuery, all *[]store.Entry) wire.Statement {
	s := r.rawEntries(path, q, all)
	read := s.Row
	s.Row = func(row *wire.Row) error {
		if err := read(row); err != nil {
			return err
		}
		if n := len(*all); n > 1 && !follows((*all)[n-2].ID, (*all)[n-1].ID, q.Tail) {
			return store.Errorf(store.ErrCorrupt, "an entry between %d and %d is missing", (*all)[n-2].ID,
				(*all)[n-1].ID)
		}
		return nil
	}
	return s
}

// rawEntries is entriesQuery without the check that no entry is missing.
func (r reader) rawEntries(path string, q store.EntryQuery, all *[]store.Entry) wire.Statement {
	order, after := "entry", q.After
	if q.Tail {
		order, after = "entry DESC", 0
	}
	rows := "SELECT " + entryColumns + " FROM entries WHERE owner = $1 AND path = $2 AND entry > $3 ORDER BY " + order
	args := []any{r.owner, path, after}
	if q.Limit > 0 {
		rows += " LIMIT $4"
		args = append(args, int64(q.Limit))
	}
	if q.MaxBytes > 0 {
		before := fmt.Sprintf("sum(octet_length(content)) OVER (ORDER BY %s ROWS BETWEEN UNBOUNDED PRECEDING AND "+
			"CURRENT ROW)", order)
		rows = fmt.Sprintf("SELECT %s FROM (SELECT *, %s AS bytes, row_number() OVER (ORDER BY %s) AS n FROM (%s) "+
			"page) counted"+
			" WHERE bytes <= $%d OR n = 1 ORDER BY %s", entryColumns, before, order, rows, len(args)+1, order)
		args = append(args, q.MaxBytes)
	}
	return wire.Statement{SQL: rows, Args: args, New: func() { *all = nil }, Row: func(row *wire.Row) error {
		e, err := readEntry(row, path)
		*all = append(*all, e)
		return err
	}}
}

func (r reader) Entries(path string, q store.EntryQuery) (all []store.Entry, err error) {
	if err = r.do(r.entriesQuery(path, q, &all)); err != nil {
		return nil, err
	}
	if q.Tail {
		slices.Reverse(all)
	}
	return all, nil
}

func follows(a, b int64, down bool) bool {
	if down {
		return b == a-1
	}
	return b == a+1
}

func (r reader) bytesQuery(path string, through int64, sum *int64) wire.Statement {
	return wire.Statement{
		SQL: "SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM entries WHERE owner = $1 AND path = $2 " +
			"AND entry <= $3",
		Args: []any{r.owner, path, through},
		Row: func(row *wire.Row) error {
			*sum = row.Int()
			return bad(row, "bytes of", path)
		},
	}
}

func (r reader) requestQuery(key string, found **store.Request) wire.Statement {
	return wire.Statement{
		SQL:  "SELECT " + requestColumns + " FROM requests WHERE owner = $1 AND key = $2",
		Args: []any{r.owner, key},
		New:  func() { *found = nil },
		Row: func(row *wire.Row) error {
			q, err := readRequest(row)
			*found = &q
			return err
		},
	}
}

func (r reader) dueQuery(from, to time.Time, n int, due *int) wire.Statement {
	return wire.Statement{
		SQL: "SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = $1 AND (created < $2 OR created > $3) " +
			"LIMIT $4) due",
		Args: []any{r.owner, from, to, int64(n)},
		Row: func(row *wire.Row) error {
			*due = int(row.Int())
			return bad(row, "requests of", r.owner)
		},
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

package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/receipt"
	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The columns of each table but the owner, in the order in which the functions below read
// and write them.
const (
	ownerColumns = "files, logs, entries, versions, bytes, operations, file_floor, log_floor," +
		" deleted_files, deleted_logs, requests, revision, changes, updated"
	fileColumns    = "path, version, sizes, summary_bytes, deleted, created, updated"
	versionColumns = "version, size, sha256, client, client_version, key_id, created"
	logColumns     = "path, first, last, bytes, deleted, created, updated"
	entryColumns   = "entry, sha256, client, client_version, key_id, created, content"
	summaryColumns = "version, method, model, prompt, sha256, tokens, created, content"
	requestColumns = "key, hash, created, number, count, bytes"
	changeColumns  = "revision, op, kind, path, from_path, before, after, entries, client, client_version, key_id, " +
		"session, created"
	recordColumns = "key, value, revision, updated"
)

// numColumns returns how many columns a list has.
func numColumns(list string) int { return strings.Count(list, ",") + 1 }

// bad returns [store.ErrCorrupt] if anything in a row was wrong. The error names the
// row.
func bad(r *wire.Row, what string, name any) error {
	if r.Bad {
		return store.Errorf(store.ErrCorrupt, "the stored %s %v cannot be read", what, name)
	}
	return nil
}

func counters(s *store.OwnerState) []*int64 {
	return []*int64{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Revision, &s.Changes}
}

func ownerValues(owner string, s store.OwnerState) []any {
	v := []any{owner}
	for _, n := range counters(&s) {
		v = append(v, *n)
	}
	return append(v, s.Updated, s.Usage != store.Usage{})
}

func readOwner(r *wire.Row, owner string) (s store.OwnerState, err error) {
	if r == nil { // the first column is never NULL
		return s, bad(&wire.Row{Bad: true}, "usage of", owner)
	}
	for _, n := range counters(&s) {
		*n = r.Int()
	}
	s.Updated = r.Time()
	return s, bad(r, "usage of", owner)
}

func fileValues(owner string, h store.FileHead) []any {
	v := []any{owner, h.Path, h.Version, h.Sizes, h.Summary, deletion(h.Deleted, &h.Updated), h.Created, h.Updated}
	return v
}

func readFile(r *wire.Row) (h store.FileHead, err error) {
	h.Path, h.Version, h.Sizes, h.Summary = r.Text(), r.Int(), r.Ints(), r.Int()
	_, h.Deleted = r.MaybeTime()
	h.Created, h.Updated = r.Time(), r.Time()
	return h, bad(r, "head of file", h.Path)
}

func versionValues(owner, path string, v *store.Version) []any {
	a := v.Author
	return []any{owner, path, v.Number, v.Size, v.SHA256[:], []byte(a.Client), []byte(a.Version), []byte(a.Key), v.Time,
		receipt.Column(v)}
}

// receiptColumn selects the receipt of a version that is redacted; NULL: it is not.
const receiptColumn = "CASE WHEN sha256 = decode(repeat('00', 32), 'hex') THEN content END"

// readVersion reads all but the content and the receipt.
func readVersion(r *wire.Row) (v store.Version) {
	v.Number, v.Size = r.Int(), r.Int()
	r.Fixed(v.SHA256[:])
	v.Author, v.Time = readAuthor(r), r.Time()
	return v
}

// readContent reads a version with its content, or with its receipt. The last column is the
// content, or receiptColumn.
func readContent(r *wire.Row, path string) (store.Version, error) {
	v := readVersion(r)
	r.Bad = !receipt.Unpack(&v, r.Bytes()) || r.Bad
	return v, bad(r, "version of", fmt.Sprintf("%s, %d,", path, v.Number))
}

func readAuthor(r *wire.Row) store.Author {
	return store.Author{Client: r.Text(), Version: r.Text(), Key: r.Text()}
}

func logValues(owner string, h store.LogHead) []any {
	return []any{owner, h.Path, h.First, h.Last, h.Bytes, deletion(h.Deleted, &h.Updated), h.Created, h.Updated}
}

func readLog(r *wire.Row) (h store.LogHead, err error) {
	h.Path, h.First, h.Last, h.Bytes = r.Text(), r.Int(), r.Int(), r.Int()
	_, h.Deleted = r.MaybeTime()
	h.Created, h.Updated = r.Time(), r.Time()
	return h, bad(r, "head of log", h.Path)
}

func entryValues(owner, path string, e *store.Entry) []any {
	a := e.Author
	return []any{owner, path, e.ID, e.SHA256[:], []byte(a.Client), []byte(a.Version), []byte(a.Key), e.Time, e.Content}
}

func readEntry(r *wire.Row, path string) (e store.Entry, err error) {
	e.ID = r.Int()
	r.Fixed(e.SHA256[:])
	e.Author, e.Time, e.Content = readAuthor(r), r.Time(), r.Bytes()
	return e, bad(r, "entry of", fmt.Sprintf("%s, %d,", path, e.ID))
}

func summaryValues(owner, path string, s *store.Summary) []any {
	return []any{owner, path, s.Version, []byte(s.Method), []byte(s.Model), []byte(s.Prompt), s.SHA256[:], s.Tokens,
		s.Time, s.Content}
}

func readSummary(r *wire.Row, path string) (s store.Summary, err error) {
	s.Version, s.Method, s.Model, s.Prompt = r.Int(), r.Text(), r.Text(), r.Text()
	r.Fixed(s.SHA256[:])
	s.Tokens, s.Time, s.Content = r.Int(), r.Time(), r.Bytes()
	return s, bad(r, "summary of", path)
}

func requestValues(owner string, q store.Request) []any {
	return []any{owner, q.Key, q.Hash[:], q.Time, q.Outcome.Number, q.Outcome.Count, q.Outcome.Bytes}
}

func readRequest(r *wire.Row) (q store.Request, err error) {
	q.Key = r.Text()
	r.Fixed(q.Hash[:])
	q.Time = r.Time()
	q.Outcome = store.Outcome{Number: r.Int(), Count: r.Int(), Bytes: r.Int()}
	return q, bad(r, "request", q.Key)
}

func changeValues(owner string, c *store.Change) []any {
	a := &c.Author
	return []any{owner, c.Revision, string(c.Op), string(c.Kind), c.Path, c.From, c.Before, c.After, c.Entries,
		[]byte(a.Client), []byte(a.Version), []byte(a.Key), []byte(a.Session), c.Time}
}

func readChange(r *wire.Row, owner string) (c store.Change, err error) {
	c.Revision, c.Op, c.Kind = r.Int(), store.ChangeOp(r.Text()), store.PathKind(r.Text())
	c.Path, c.From, c.Before, c.After, c.Entries = r.Text(), r.Text(), r.Int(), r.Int(), r.Int()
	c.Author = readAuthor(r)
	c.Author.Session, c.Time = r.Text(), r.Time()
	return c, bad(r, "change of", fmt.Sprintf("%s, %d,", owner, c.Revision))
}

func readRecord(r *wire.Row) (rec store.Record, err error) {
	rec.Key, rec.Value, rec.Revision, rec.Updated = r.Text(), r.Bytes(), r.Int(), r.Time()
	return rec, bad(r, "record", rec.Key)
}

// deletion returns the column deleted of a head: the time of its last write, or NULL.
func deletion(deleted bool, at *time.Time) *time.Time {
	if !deleted {
		return nil
	}
	return at
}

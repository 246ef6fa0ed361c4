package row

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/receipt"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The columns of each table but the owner, in the order in which the functions below read
// and write them.
const (
	OwnerColumns = "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, " +
		"deleted_logs, requests, revision, changes, updated, crc"
	FileColumns    = "path, version, sizes, summary_bytes, deleted, created, updated, crc"
	VersionColumns = "path, version, size, sha256, client, client_version, key_id, created, crc"
	LogColumns     = "path, first, last, bytes, deleted, created, updated, crc"
	EntryColumns   = "path, entry, sha256, client, client_version, key_id, created, crc"
	SummaryColumns = "path, version, method, model, prompt, sha256, tokens, created, crc"
	RequestColumns = "key, hash, created, number, count, bytes, crc"
	RecordColumns  = "key, value, revision, updated, crc"
	ChangeColumns  = "revision, change, crc"
)

// The queries for lists. Their arguments are the owner, the prefix, AfterPrefix of it, the
// path after which the list begins, and the limit.
const (
	Files = "SELECT " + FileColumns + " FROM files" + listed
	Logs  = "SELECT " + LogColumns + " FROM logs" + listed

	listed = " WHERE owner = ? AND path >= ? AND path < ? AND path > ? AND deleted = 0 ORDER BY path LIMIT ?"
)

// AuthoredFiles is the query for files with their current versions, without content.
// CurrentFiles has the content too, unless it is longer than another argument before the
// others: SQLite then does not read it.
var (
	AuthoredFiles = "SELECT " + of("f", FileColumns) + ", " + of("v", VersionColumns) + withVersions
	CurrentFiles  = "SELECT " + of("f", FileColumns) + ", " + of("v", strings.TrimPrefix(VersionColumns, "path, ")) +
		", CASE WHEN octet_length(v.content) <= ? THEN v.content END" + withVersions
)

const withVersions = " FROM files f LEFT JOIN versions v ON v.owner = f.owner AND v.path = f.path AND v.version = " +
	"f.version" +
	" WHERE f.owner = ? AND f.path >= ? AND f.path < ? AND f.path > ? AND f.deleted = 0 ORDER BY f.path LIMIT ?"

// OwnerValues returns the row of an owner.
func OwnerValues(owner string, s store.OwnerState) []any {
	v := []any{owner, s.Files, s.Logs, s.Entries, s.Versions, s.Bytes, s.Operations,
		s.FileFloor, s.LogFloor, s.DeletedFiles, s.DeletedLogs, s.Requests, s.Revision, s.Changes, Micros(s.Updated)}
	return append(v, Sum(v...))
}

// Owner reads it.
func (f *Fields) Owner(owner string) (s store.OwnerState) {
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Revision, &s.Changes} {
		*n = f.Int()
	}
	s.Updated = f.Time()
	v := OwnerValues(owner, s)
	f.Check(v[:len(v)-1]...)
	return s
}

// FileValues returns the row of a file.
func FileValues(owner string, h store.FileHead) []any {
	v := []any{owner, h.Path, h.Version, encodeSizes(h.Sizes), h.Summary, BoolInt(h.Deleted), Micros(h.Created),
		Micros(h.Updated)}
	return append(v, Sum(v...))
}

// File reads it.
func (f *Fields) File(owner string) (h store.FileHead) {
	h.Path, h.Version = f.Text(), f.Int()
	sizes := f.Bytes()
	h.Summary, h.Deleted, h.Created, h.Updated = f.Int(), f.Int() != 0, f.Time(), f.Time()
	f.Check(owner, h.Path, h.Version, sizes, h.Summary, BoolInt(h.Deleted), Micros(h.Created), Micros(h.Updated))
	var ok bool
	h.Sizes, ok = decodeSizes(sizes)
	f.Bad = f.Bad || !ok
	return h
}

// HeadOf is File with a check that the row is the one of the path.
func (f *Fields) HeadOf(owner, path string) (store.FileHead, error) {
	h := f.File(owner)
	f.Bad = f.Bad || h.Path != path
	return h, f.Err("head of file", path)
}

// CurrentVersion reads the rest of a row of [CurrentFiles], after its head. It reports false
// if the row has no content: it is too long, or the version is missing.
func (f *Fields) CurrentVersion(owner string, h store.FileHead) (v store.Version, read bool, err error) {
	if n := len(f.Row); n == 0 || f.Row[n-1] == nil {
		return v, false, nil
	}
	v = f.withContent(f.versionOf(owner, h.Path))
	f.Bad = f.Bad || v.Number != h.Version
	return v, true, f.ErrAt("version of", h.Path, h.Version)
}

// Receipt selects the receipt of a version that is redacted; NULL: it is not.
const Receipt = "CASE WHEN sha256 = zeroblob(32) THEN content END"

// VersionValues returns the row of a version, with its content or its receipt.
func VersionValues(owner, path string, v *store.Version) []any {
	a := v.Author
	r := []any{owner, path, v.Number, v.Size, v.SHA256[:], a.Client, a.Version, a.Key, Micros(v.Time)}
	return append(r, Sum(r...), Blob(receipt.Column(v)))
}

// VersionContent reads it. The columns are VersionColumns and the content.
func (f *Fields) VersionContent(owner, path string) store.Version {
	return f.withContent(f.Version(owner, path))
}

func (f *Fields) withContent(v store.Version) store.Version {
	f.Bad = !receipt.Unpack(&v, f.Bytes()) || f.Bad
	if v.Redacted == nil {
		v.Content = Blob(v.Content)
	}
	return v
}

// VersionReceipt reads it without the content. The columns are VersionColumns and Receipt.
func (f *Fields) VersionReceipt(owner, path string) store.Version {
	v := f.Version(owner, path)
	f.Bad = !receipt.Unpack(&v, f.Bytes()) || f.Bad
	return v
}

// Version reads it, without the content and without the receipt.
func (f *Fields) Version(owner, path string) store.Version {
	f.Bad = f.Bad || f.Text() != path
	return f.versionOf(owner, path)
}

// versionOf is Version without the column of the path, which the checksum covers.
func (f *Fields) versionOf(owner, path string) (v store.Version) {
	v.Number, v.Size, v.SHA256, v.Author, v.Time = f.Int(), f.Int(), f.Hash(), f.Author(), f.Time()
	f.Check(owner, path, v.Number, v.Size, v.SHA256[:], v.Author.Client, v.Author.Version, v.Author.Key, Micros(v.Time))
	return v
}

// LogValues returns the row of a log.
func LogValues(owner string, h store.LogHead) []any {
	v := []any{owner, h.Path, h.First, h.Last, h.Bytes, BoolInt(h.Deleted), Micros(h.Created), Micros(h.Updated)}
	return append(v, Sum(v...))
}

// Log reads it.
func (f *Fields) Log(owner string) (h store.LogHead) {
	h.Path, h.First, h.Last, h.Bytes = f.Text(), f.Int(), f.Int(), f.Int()
	h.Deleted, h.Created, h.Updated = f.Int() != 0, f.Time(), f.Time()
	v := LogValues(owner, h)
	f.Check(v[:len(v)-1]...)
	return h
}

// EntryValues returns the row of an entry, with its content.
func EntryValues(owner, path string, e *store.Entry) []any {
	a := e.Author
	r := []any{owner, path, e.ID, e.SHA256[:], a.Client, a.Version, a.Key, Micros(e.Time)}
	return append(r, Sum(r...), Blob(e.Content))
}

// Entry reads it. The columns are EntryColumns and the content.
func (f *Fields) Entry(owner, path string) (e store.Entry) {
	f.Bad = f.Bad || f.Text() != path
	e.ID, e.SHA256, e.Author, e.Time = f.Int(), f.Hash(), f.Author(), f.Time()
	f.Check(owner, path, e.ID, e.SHA256[:], e.Author.Client, e.Author.Version, e.Author.Key, Micros(e.Time))
	e.Content = f.Content()
	return e
}

// SummaryValues returns the row of a summary, with its content.
func SummaryValues(owner, path string, s *store.Summary) []any {
	v := []any{owner, path, s.Version, s.Method, s.Model, s.Prompt, s.SHA256[:], s.Tokens, Micros(s.Time)}
	return append(v, Sum(v...), Blob(s.Content))
}

// Summary reads it, without the content.
func (f *Fields) Summary(owner, path string) (s store.Summary) {
	f.Bad = f.Bad || f.Text() != path
	s.Version, s.Method, s.Model, s.Prompt = f.Int(), f.Text(), f.Text(), f.Text()
	s.SHA256, s.Tokens, s.Time = f.Hash(), f.Int(), f.Time()
	f.Check(owner, path, s.Version, s.Method, s.Model, s.Prompt, s.SHA256[:], s.Tokens, Micros(s.Time))
	return s
}

// RequestValues returns the row of a request.
func RequestValues(owner string, r store.Request) []any {
	v := []any{owner, r.Key, r.Hash[:], Micros(r.Time), r.Outcome.Number, r.Outcome.Count, r.Outcome.Bytes}
	return append(v, Sum(v...))
}

// Request reads it.
func (f *Fields) Request(owner string) (r store.Request) {
	r.Key, r.Hash, r.Time = f.Text(), f.Hash(), f.Time()
	r.Outcome = store.Outcome{Number: f.Int(), Count: f.Int(), Bytes: f.Int()}
	v := RequestValues(owner, r)
	f.Check(v[:len(v)-1]...)
	return r
}

// Record reads a record of the installation.
func (f *Fields) Record() (r store.Record) {
	r.Key, r.Value, r.Revision, r.Updated = f.Text(), f.Bytes(), f.Int(), f.Time()
	f.Check(r.Key, r.Value, r.Revision, Micros(r.Updated))
	return r
}

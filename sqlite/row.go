package sqlite

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the CRC-32C of a row: of its values in order, each with its length.
func sum(values ...any) int64 {
	var crc uint32
	var n [9]byte
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			n[0] = 'i'
			binary.BigEndian.PutUint64(n[1:], uint64(v))
			crc = crc32.Update(crc, castagnoli, n[:])
		case string:
			n[0] = 's'
			binary.BigEndian.PutUint64(n[1:], uint64(len(v)))
			crc = crc32.Update(crc, castagnoli, n[:])
			crc = crc32.Update(crc, castagnoli, []byte(v))
		case []byte:
			n[0] = 'b'
			binary.BigEndian.PutUint64(n[1:], uint64(len(v)))
			crc = crc32.Update(crc, castagnoli, n[:])
			crc = crc32.Update(crc, castagnoli, v)
		}
	}
	return int64(crc)
}

// fields reads the values of a row one by one. A value that does not have the type of its
// column sets bad.
type fields struct {
	row []driver.Value
	bad bool
}

func (f *fields) next() driver.Value {
	if len(f.row) == 0 {
		f.bad = true
		return nil
	}
	v := f.row[0]
	f.row = f.row[1:]
	return v
}

func (f *fields) int() int64 {
	v, ok := f.next().(int64)
	f.bad = f.bad || !ok
	return v
}

func (f *fields) text() string {
	v, ok := f.next().(string)
	f.bad = f.bad || !ok
	return v
}

// bytes returns nil for an empty BLOB, as the driver does.
func (f *fields) bytes() []byte {
	v := f.next()
	if v == nil {
		return nil
	}
	b, ok := v.([]byte)
	f.bad = f.bad || !ok
	return b
}

// content returns an empty slice for an empty BLOB.
func (f *fields) content() []byte { return blob(f.bytes()) }

func (f *fields) hash() (h [sha256.Size]byte) {
	b := f.bytes()
	f.bad = f.bad || copy(h[:], b) != sha256.Size
	return h
}

func (f *fields) time() time.Time { return fromMicros(f.int()) }

func (f *fields) author() workspace.Author {
	return workspace.Author{Client: f.text(), Version: f.text(), Key: f.text()}
}

// check compares the row's crc with the crc of the values.
func (f *fields) check(values ...any) {
	crc := f.int()
	f.bad = f.bad || crc != sum(values...)
}

// err returns [workspace.ErrCorrupt] if anything in the row was wrong. The error names the
// row.
func (f *fields) err(what, name string) error {
	if f.bad {
		return workspace.Errorf(workspace.ErrCorrupt, "the stored %s %s does not match its checksum", what, name)
	}
	return nil
}

// noTime stands for the zero time.
const noTime = -1 << 63

func micros(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == noTime {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// blob returns an empty slice for nil, which the driver would store as NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func encodeSizes(sizes []int64) []byte {
	b := make([]byte, 0, 4*len(sizes))
	for _, s := range sizes {
		b = binary.AppendUvarint(b, uint64(s))
	}
	return b
}

func decodeSizes(b []byte) (sizes []int64, ok bool) {
	for len(b) > 0 {
		s, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, false
		}
		sizes = append(sizes, int64(s))
		b = b[n:]
	}
	return sizes, true
}

// The columns of each table, in the order in which the functions below read and write them.
const (
	ownerColumns   = "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, revision, changes, updated, crc"
	fileColumns    = "path, version, sizes, summary_bytes, deleted, created, updated, crc"
	versionColumns = "path, version, size, sha256, client, client_version, key_id, created, crc"
	logColumns     = "path, first, last, bytes, deleted, created, updated, crc"
	entryColumns   = "path, entry, sha256, client, client_version, key_id, created, crc"
	summaryColumns = "path, version, method, model, prompt, sha256, tokens, created, crc"
	requestColumns = "key, hash, created, number, count, bytes, crc"
	changeColumns  = "revision, change, crc"
)

func ownerValues(owner string, s workspace.OwnerState) []any {
	v := []any{owner, s.Files, s.Logs, s.Entries, s.Versions, s.Bytes, s.Operations,
		s.FileFloor, s.LogFloor, s.DeletedFiles, s.DeletedLogs, s.Requests, s.Revision, s.Changes, micros(s.Updated)}
	return append(v, sum(v...))
}

func (f *fields) owner(owner string) (s workspace.OwnerState) {
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Revision, &s.Changes} {
		*n = f.int()
	}
	s.Updated = f.time()
	v := ownerValues(owner, s)
	f.check(v[:len(v)-1]...)
	return s
}

func fileValues(owner string, h workspace.FileHead) []any {
	v := []any{owner, h.Path, h.Version, encodeSizes(h.Sizes), h.Summary, boolInt(h.Deleted), micros(h.Created), micros(h.Updated)}
	return append(v, sum(v...))
}

func (f *fields) file(owner string) (h workspace.FileHead) {
	h.Path, h.Version = f.text(), f.int()
	sizes := f.bytes()
	h.Summary, h.Deleted, h.Created, h.Updated = f.int(), f.int() != 0, f.time(), f.time()
	f.check(owner, h.Path, h.Version, sizes, h.Summary, boolInt(h.Deleted), micros(h.Created), micros(h.Updated))
	var ok bool
	h.Sizes, ok = decodeSizes(sizes)
	f.bad = f.bad || !ok
	return h
}

// headOf is file with a check that the row is the one of the path.
func (f *fields) headOf(owner, path string) (workspace.FileHead, error) {
	h := f.file(owner)
	f.bad = f.bad || h.Path != path
	return h, f.err("head of file", path)
}

func versionValues(owner, path string, v *workspace.Version) []any {
	a := v.Author
	r := []any{owner, path, v.Number, v.Size, v.SHA256[:], a.Client, a.Version, a.Key, micros(v.Time)}
	return append(r, sum(r...), blob(v.Content))
}

func (f *fields) version(owner, path string) (v workspace.Version) {
	f.bad = f.bad || f.text() != path
	v.Number, v.Size, v.SHA256, v.Author, v.Time = f.int(), f.int(), f.hash(), f.author(), f.time()
	f.check(owner, path, v.Number, v.Size, v.SHA256[:], v.Author.Client, v.Author.Version, v.Author.Key, micros(v.Time))
	return v
}

func logValues(owner string, h workspace.LogHead) []any {
	v := []any{owner, h.Path, h.First, h.Last, h.Bytes, boolInt(h.Deleted), micros(h.Created), micros(h.Updated)}
	return append(v, sum(v...))
}

func (f *fields) log(owner string) (h workspace.LogHead) {
	h.Path, h.First, h.Last, h.Bytes = f.text(), f.int(), f.int(), f.int()
	h.Deleted, h.Created, h.Updated = f.int() != 0, f.time(), f.time()
	v := logValues(owner, h)
	f.check(v[:len(v)-1]...)
	return h
}

func entryValues(owner, path string, e *workspace.Entry) []any {
	a := e.Author
	r := []any{owner, path, e.ID, e.SHA256[:], a.Client, a.Version, a.Key, micros(e.Time)}
	return append(r, sum(r...), blob(e.Content))
}

func (f *fields) entry(owner, path string) (e workspace.Entry) {
	f.bad = f.bad || f.text() != path
	e.ID, e.SHA256, e.Author, e.Time = f.int(), f.hash(), f.author(), f.time()
	f.check(owner, path, e.ID, e.SHA256[:], e.Author.Client, e.Author.Version, e.Author.Key, micros(e.Time))
	return e
}

func summaryValues(owner, path string, s *workspace.Summary) []any {
	v := []any{owner, path, s.Version, s.Method, s.Model, s.Prompt, s.SHA256[:], s.Tokens, micros(s.Time)}
	return append(v, sum(v...), blob(s.Content))
}

func (f *fields) summary(owner, path string) (s workspace.Summary) {
	f.bad = f.bad || f.text() != path
	s.Version, s.Method, s.Model, s.Prompt = f.int(), f.text(), f.text(), f.text()
	s.SHA256, s.Tokens, s.Time = f.hash(), f.int(), f.time()
	f.check(owner, path, s.Version, s.Method, s.Model, s.Prompt, s.SHA256[:], s.Tokens, micros(s.Time))
	return s
}

func requestValues(owner string, r workspace.Request) []any {
	v := []any{owner, r.Key, r.Hash[:], micros(r.Time), r.Outcome.Number, r.Outcome.Count, r.Outcome.Bytes}
	return append(v, sum(v...))
}

func (f *fields) request(owner string) (r workspace.Request) {
	r.Key, r.Hash, r.Time = f.text(), f.hash(), f.time()
	r.Outcome = workspace.Outcome{Number: f.int(), Count: f.int(), Bytes: f.int()}
	v := requestValues(owner, r)
	f.check(v[:len(v)-1]...)
	return r
}

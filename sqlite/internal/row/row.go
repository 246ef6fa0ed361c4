// Package row has the form of each row of the database, in the present schema and in past
// ones. The columns are those of [store.Table]. After them comes the row's checksum.
package row

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Values returns a row of an owner, in the order in which [Insert] and the other statements
// take it.
func Values(owner string, r store.Row) (*store.Table, []any) {
	t, fields := r.Table()
	keys := []any{owner}
	if t.OfPath {
		keys = append(keys, r.Path)
	}
	if r.Change != nil {
		packed := packChange(r.Change)
		fields = []any{&r.Change.Revision, &packed}
	}
	values := record(fields, t.Later, keys)
	if t.Content {
		values = append(values, r.Content())
	}
	return t, values
}

// Record returns keys, the values of fields, and the checksum of both.
func Record(fields []any, keys ...any) []any { return record(fields, 0, keys) }

// record is Record for a row whose last fields, at most later of them, are not in the checksum
// while they are zero.
func record(fields []any, later int, keys []any) []any {
	values := append(make([]any, 0, len(keys)+len(fields)+2), keys...)
	for _, f := range fields {
		values = append(values, valueOf(f))
	}
	return append(values, sum(make([]byte, 0, 256), values[:len(values)-zeros(fields, later)]))
}

// valueOf returns a field as it is stored.
func valueOf(field any) any {
	switch p := field.(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *bool:
		if *p {
			return int64(1)
		}
		return int64(0)
	case *time.Time:
		if p.IsZero() {
			return noMicros
		}
		return Micros(*p)
	case *[sha256.Size]byte:
		return p[:]
	case *[]int64:
		b := make([]byte, 0, 4*len(*p))
		for _, n := range *p {
			b = binary.AppendUvarint(b, uint64(n))
		}
		return b
	case store.Packed:
		if b := p.Pack(); b != nil {
			return b
		}
		return noBytes
	}
	return *field.(*[]byte)
}

// zeros returns how many of the last fields are zero, later at most.
func zeros(fields []any, later int) (n int) {
	for n < later {
		zero := false
		switch p := fields[len(fields)-1-n].(type) {
		case *int64:
			zero = *p == 0
		case *string:
			zero = *p == ""
		case *time.Time:
			zero = p.IsZero()
		case store.Packed:
			zero = p.Pack() == nil
		}
		if !zero {
			break
		}
		n++
	}
	return n
}

// castagnoli returns the table, which the first call makes.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// sum returns the CRC-32C of values in order, each with its length. b is for its use.
func sum(b []byte, values ...[]any) int64 {
	for _, some := range values {
		for _, v := range some {
			switch v := v.(type) {
			case int64:
				b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
			case string:
				b = append(binary.BigEndian.AppendUint64(append(b, 's'), uint64(len(v))), v...)
			case []byte:
				b = append(binary.BigEndian.AppendUint64(append(b, 'b'), uint64(len(v))), v...)
			}
		}
	}
	return int64(crc32.Checksum(b, castagnoli()))
}

// Fields reads the values of a row one by one. A value that does not have the type of its
// column sets Bad.
type Fields struct {
	Row []any // that are still to be read
	Bad bool
}

// Next returns the next value.
func (f *Fields) Next() any {
	if len(f.Row) == 0 {
		f.Bad = true
		return nil
	}
	v := f.Row[0]
	f.Row = f.Row[1:]
	return v
}

// Scan reads values into fields, which are pointers.
func (f *Fields) Scan(fields ...any) {
	for _, field := range fields {
		v, ok := f.Next(), false
		n, isInt := v.(int64)
		b, isBlob := v.([]byte)
		switch p := field.(type) {
		case *int64:
			*p, ok = n, isInt
		case *string:
			*p, ok = v.(string)
		case *bool:
			*p, ok = n != 0, isInt
		case *time.Time:
			*p, ok = fromMicros(n), isInt
		case *[]byte:
			*p, ok = b, isBlob
		case *[sha256.Size]byte:
			ok = copy(p[:], b) == len(b) && len(b) == len(p)
		case *[]int64:
			*p, ok = sizesOf(b)
		case store.Packed:
			ok = p.Unpack(b) && isBlob
		}
		f.Bad = f.Bad || !ok
	}
}

func sizesOf(b []byte) (sizes []int64, ok bool) {
	for len(b) > 0 {
		s, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, false
		}
		sizes, b = append(sizes, int64(s)), b[n:]
	}
	return sizes, true
}

// Int reads an integer.
func (f *Fields) Int() (n int64) {
	f.Scan(&n)
	return n
}

// Text reads a text.
func (f *Fields) Text() (s string) {
	f.Scan(&s)
	return s
}

// Record reads what the function of that name has returned, after the keys.
func (f *Fields) Record(fields []any, keys ...any) { f.record(fields, 0, keys) }

func (f *Fields) record(fields []any, later int, keys []any) {
	row := f.Row
	f.Scan(fields...)
	want := sum(make([]byte, 0, 256), keys, row[:len(row)-len(f.Row)-zeros(fields, later)])
	f.Bad = f.Int() != want || f.Bad
}

// Read reads a row of an owner, with its content if that comes next.
func (f *Fields) Read(owner string, r store.Row) error {
	t, fields := r.Table()
	switch {
	case r.Change != nil:
		var packed []byte
		f.Record([]any{&r.Change.Revision, &packed}, owner)
		f.Bad = !unpackChange(r.Change, packed) || f.Bad
	case t.OfPath:
		f.record(fields, t.Later, []any{owner, r.Path})
	default:
		f.record(fields, t.Later, []any{owner})
	}
	if t.Content && len(f.Row) > 0 {
		content, _ := f.Next().([]byte) // nil: the query has left it out
		f.Bad = !r.SetContent(content) || f.Bad
	}
	if f.Bad { // else no time is lost for the name
		return f.Err(r.Name(owner))
	}
	return nil
}

// ReadOne is Read for the row with the key that r has. In a damaged index or table SQLite may
// come to another row.
func (f *Fields) ReadOne(owner string, r store.Row) error {
	t, fields := r.Table()
	fields = fields[:strings.Count(t.Key, ",")+1]
	var key []any
	for _, k := range fields {
		key = append(key, valueOf(k))
	}
	err := f.Read(owner, r)
	for i, k := range fields {
		f.Bad = f.Bad || valueOf(k) != key[i]
	}
	return cmp.Or(err, f.Err(r.Name(owner)))
}

// Err returns [store.ErrCorrupt] if anything in the row was wrong.
func (f *Fields) Err(name string) error {
	if f.Bad {
		return store.Errorf(store.ErrCorrupt, "the stored %s does not match its checksum", name)
	}
	return nil
}

// packChange packs the fields of a change into one value.
func packChange(c *store.Change) []byte {
	a := &c.Author
	return store.Pack([]int64{c.Before, c.After, c.Entries, Micros(c.Time)}, string(c.Op), string(c.Kind), c.Path,
		c.From, a.Client, a.Version, a.Key, a.Session)
}

func unpackChange(c *store.Change, b []byte) bool {
	a, micros := &c.Author, int64(0)
	ok := store.Unpack(b, []*int64{&c.Before, &c.After, &c.Entries, &micros}, (*string)(&c.Op), (*string)(&c.Kind),
		&c.Path, &c.From, &a.Client, &a.Version, &a.Key, &a.Session)
	c.Time = fromMicros(micros)
	return ok
}

// noTime stands for the zero time.
const noTime = -1 << 63

// These values are in most rows, and are made once.
var noMicros, noBytes any = int64(noTime), []byte{}

// Micros returns a time as it is stored.
func Micros(t time.Time) int64 {
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

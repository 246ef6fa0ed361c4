// Package row has the form of each row of the database, in the present schema and in past
// ones. A row ends with its checksum. XValues returns the values of a row in the order of
// XColumns, after its owner. A method of [Fields] reads them back.
package row

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the CRC-32C of a row: of its values in order, each with its length.
func Sum(values ...any) int64 {
	return checksum(appendValues(make([]byte, 0, 256), values))
}

func checksum(b []byte) int64 { return int64(crc32.Checksum(b, castagnoli)) }

func appendValues(b []byte, values []any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case string:
			b = append(binary.BigEndian.AppendUint64(append(b, 's'), uint64(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, 'b'), uint64(len(v))), v...)
		}
	}
	return b
}

// Fields reads the values of a row one by one. A value that does not have the type of its
// column sets Bad.
type Fields struct {
	Row []driver.Value // that are still to be read
	Bad bool

	buf []byte // for Check
}

// Begin begins with another row.
func (f *Fields) Begin(row []driver.Value) { f.Row, f.Bad = row, false }

// Next returns the next value.
func (f *Fields) Next() driver.Value {
	if len(f.Row) == 0 {
		f.Bad = true
		return nil
	}
	v := f.Row[0]
	f.Row = f.Row[1:]
	return v
}

// Int reads an integer.
func (f *Fields) Int() int64 {
	v, ok := f.Next().(int64)
	f.Bad = f.Bad || !ok
	return v
}

// Text reads a text.
func (f *Fields) Text() string {
	v, ok := f.Next().(string)
	f.Bad = f.Bad || !ok
	return v
}

// Bytes returns nil for an empty BLOB, as the driver does.
func (f *Fields) Bytes() []byte {
	v := f.Next()
	if v == nil {
		return nil
	}
	b, ok := v.([]byte)
	f.Bad = f.Bad || !ok
	return b
}

// Content returns an empty slice for an empty BLOB.
func (f *Fields) Content() []byte { return Blob(f.Bytes()) }

// Hash reads a SHA-256.
func (f *Fields) Hash() (h [sha256.Size]byte) {
	b := f.Bytes()
	f.Bad = f.Bad || copy(h[:], b) != sha256.Size
	return h
}

// Time reads a time in microseconds.
func (f *Fields) Time() time.Time { return FromMicros(f.Int()) }

// Author reads the client, its version and the key of an author.
func (f *Fields) Author() store.Author {
	return store.Author{Client: f.Text(), Version: f.Text(), Key: f.Text()}
}

// Check compares the row's crc with the crc of the values.
func (f *Fields) Check(values ...any) {
	f.buf = appendValues(f.buf[:0], values)
	crc := f.Int()
	f.Bad = f.Bad || crc != checksum(f.buf)
}

// Err returns [store.ErrCorrupt] if anything in the row was wrong. The error names the
// row.
func (f *Fields) Err(what, name string) error {
	if f.Bad {
		return store.Errorf(store.ErrCorrupt, "the stored %s %s does not match its checksum", what, name)
	}
	return nil
}

// ErrAt is Err for a row with a path and a number.
func (f *Fields) ErrAt(what, path string, n int64) error {
	if !f.Bad {
		return nil
	}
	return f.Err(what, fmt.Sprintf("%s, %d,", path, n))
}

// NoTime stands for the zero time.
const NoTime = -1 << 63

// Micros returns a time as it is stored.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return NoTime
	}
	return t.UnixMicro()
}

// FromMicros returns the time of a stored value.
func FromMicros(us int64) time.Time {
	if us == NoTime {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// BoolInt returns 1 for true.
func BoolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Blob returns an empty slice for nil, which the driver would store as NULL.
func Blob(b []byte) []byte {
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

// Package wire runs statements on a connection to PostgreSQL. It sends many of them in one
// go, and turns Go values into PostgreSQL's binary formats and back.
package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The object identifiers of the types that are sent. They are the same in every database:
// https://www.postgresql.org/docs/current/catalog-pg-type.html
const (
	oidBool        = 16
	oidBytea       = 17
	oidInt8        = 20
	oidInt8Array   = 1016
	oidTimestamptz = 1184
)

// epoch is the time from which PostgreSQL counts microseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// A Param is a value in its binary format. The server finds out the type of a text, which is
// one of text or bytea.
type Param struct {
	value []byte
	oid   uint32
}

// Encode returns a value, or what a pointer points to, as a Param. A zero time is -infinity. A
// nil []byte is an empty value, not NULL.
func Encode(v any) Param {
	switch v := v.(type) {
	case Param:
		return v
	case *int64:
		return Encode(*v)
	case int64:
		return Param{binary.BigEndian.AppendUint64(nil, uint64(v)), oidInt8}
	case *string:
		return Encode(*v)
	case string:
		return Param{[]byte(v), 0}
	case *[]byte:
		return Encode(*v)
	case []byte:
		if v == nil {
			v = []byte{}
		}
		return Param{v, oidBytea}
	case *[sha256.Size]byte:
		return Encode(bytes.Clone(v[:]))
	case *bool:
		return Encode(*v)
	case bool:
		if v {
			return Param{[]byte{1}, oidBool}
		}
		return Param{[]byte{0}, oidBool}
	case *time.Time:
		return Encode(*v)
	case time.Time:
		return Param{binary.BigEndian.AppendUint64(nil, uint64(micros(v))), oidTimestamptz}
	case *[]int64:
		return Param{encodeInts(*v), oidInt8Array}
	case store.Packed:
		return Encode(v.Pack())
	}
	panic(fmt.Sprintf("postgres: a value of type %T cannot be sent", v))
}

// micros counts from [epoch]. Times that PostgreSQL does not have are infinity.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return math.MinInt64
	}
	const last = 290_000 // year
	switch year := t.Year(); {
	case year > last:
		return math.MaxInt64
	case year < -4000:
		return math.MinInt64
	}
	return t.UnixMicro() - epoch
}

// encodeInts has the format of array_send: dimensions, whether there are NULLs, the type
// of the elements, their number and first index, and each with its length.
func encodeInts(ints []int64) []byte {
	b := make([]byte, 0, 20+12*len(ints))
	if len(ints) == 0 {
		b = binary.BigEndian.AppendUint32(b, 0)
		b = binary.BigEndian.AppendUint32(b, 0)
		return binary.BigEndian.AppendUint32(b, oidInt8)
	}
	for _, n := range []uint32{1, 0, oidInt8, uint32(len(ints)), 1} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	for _, n := range ints {
		b = binary.BigEndian.AppendUint32(b, 8)
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// Fields are the values of a row, which are read one by one.
type Fields struct {
	values [][]byte // that are still to be read
}

// Len returns how many values are still to be read.
func (r *Fields) Len() int { return len(r.values) }

// Take reports whether the next value is not NULL. If it is NULL, Take skips n values: a joined
// table has no row.
func (r *Fields) Take(n int) bool {
	if r.values[0] != nil {
		return true
	}
	r.values = r.values[n:]
	return false
}

// Into returns a function that reads rows into fields.
func Into(fields ...any) func(*Fields) error {
	return func(r *Fields) error { return r.Scan(fields...) }
}

// Scan reads values into fields, which are pointers. It returns [store.ErrCorrupt] if one does
// not have the type of its field. NULL is "", nil, false and the zero time, and a time is
// true.
func (r *Fields) Scan(fields ...any) error {
	ok := len(r.values) >= len(fields)
	for i := 0; ok && i < len(fields); i++ {
		v := r.values[0]
		r.values = r.values[1:]
		switch p := fields[i].(type) {
		case *int64:
			if ok = len(v) == 8; ok {
				*p = int64(binary.BigEndian.Uint64(v))
			}
		case *string:
			*p = string(v)
		case *[]byte:
			if v != nil {
				*p = append([]byte{}, v...)
			}
		case *[sha256.Size]byte:
			ok = copy(p[:], v) == len(v) && len(v) == len(p)
		case *bool:
			*p = v != nil && (len(v) != 1 || v[0] != 0)
		case *time.Time:
			if ok = v == nil || len(v) == 8; ok && v != nil {
				*p = timeOf(int64(binary.BigEndian.Uint64(v)))
			}
		case *[]int64:
			*p, ok = decodeInts(v)
		case store.Packed:
			ok = p.Unpack(v)
		}
	}
	if !ok {
		return store.Errorf(store.ErrCorrupt, "a stored row cannot be read")
	}
	return nil
}

// timeOf is the reverse of micros. Infinity is the last time that has microseconds since 1970.
func timeOf(us int64) time.Time {
	switch us {
	case math.MinInt64:
		return time.Time{}
	case math.MaxInt64:
		return time.UnixMicro(math.MaxInt64).UTC()
	}
	return time.UnixMicro(us + epoch).UTC()
}

// decodeInts is the reverse of encodeInts.
func decodeInts(v []byte) (ints []int64, ok bool) {
	if len(v) >= 12 && binary.BigEndian.Uint32(v) == 0 {
		return nil, true
	}
	for at := 20; at+12 <= len(v); at += 12 {
		ints = append(ints, int64(binary.BigEndian.Uint64(v[at+4:])))
	}
	return ints, bytes.Equal(v, encodeInts(ints))
}

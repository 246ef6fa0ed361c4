// Package wire runs statements on a connection to PostgreSQL. It sends many of them in one
// go, and turns Go values into PostgreSQL's binary formats and back.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// The object identifiers of the types that are sent. They are the same in every database:
// https://www.postgresql.org/docs/current/catalog-pg-type.html
const (
	oidBool        = 16
	oidBytea       = 17
	oidInt8        = 20
	oidText        = 25
	oidInt8Array   = 1016
	oidTimestamptz = 1184
)

// epoch is the time from which PostgreSQL counts microseconds.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// encode returns the binary format of a value, and the type of it. A zero time is
// -infinity. nil []byte is an empty value, not NULL.
func encode(v any) ([]byte, uint32) {
	switch v := v.(type) {
	case string:
		return []byte(v), oidText
	case int64:
		return binary.BigEndian.AppendUint64(nil, uint64(v)), oidInt8
	case []byte:
		if v == nil {
			v = []byte{}
		}
		return v, oidBytea
	case bool:
		if v {
			return []byte{1}, oidBool
		}
		return []byte{0}, oidBool
	case time.Time:
		return binary.BigEndian.AppendUint64(nil, uint64(micros(v))), oidTimestamptz
	case *time.Time:
		if v == nil {
			return nil, oidTimestamptz
		}
		return encode(*v)
	case []int64:
		return encodeInts(v), oidInt8Array
	}
	panic(fmt.Sprintf("wire: a value of type %T", v))
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

// A Row reads the values of a row one by one. A value that does not have the type of its
// column sets Bad.
type Row struct {
	Bad    bool
	values [][]byte // that are still to be read
}

func (r *Row) next() []byte {
	if len(r.values) == 0 {
		r.Bad = true
		return nil
	}
	v := r.values[0]
	r.values = r.values[1:]
	return v
}

// Part takes the next n values as a row of their own. It is nil if the first of them is
// NULL: then a joined table has no row.
func (r *Row) Part(n int) *Row {
	if len(r.values) < n {
		r.Bad = true
		return nil
	}
	part := &Row{values: r.values[:n:n]}
	r.values = r.values[n:]
	if part.values[0] == nil {
		return nil
	}
	return part
}

// Int reads a bigint.
func (r *Row) Int() int64 {
	v := r.next()
	if len(v) != 8 {
		r.Bad = true
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

// Bool reads a boolean.
func (r *Row) Bool() bool {
	v := r.next()
	if len(v) != 1 {
		r.Bad = true
		return false
	}
	return v[0] != 0
}

// Text reads a text, or a bytea as one. NULL is "".
func (r *Row) Text() string { return string(r.next()) }

// Bytes reads a bytea into memory of its own. NULL is nil.
func (r *Row) Bytes() []byte {
	v := r.next()
	if v == nil {
		return nil
	}
	return append([]byte{}, v...)
}

// Fixed reads a bytea that must fill b.
func (r *Row) Fixed(b []byte) {
	v := r.next()
	if len(v) != len(b) {
		r.Bad = true
	}
	copy(b, v)
}

// Time reads a timestamptz. NULL and -infinity are the zero time, and infinity is the last
// time that has microseconds since 1970.
func (r *Row) Time() time.Time {
	t, _ := r.MaybeTime()
	return t
}

// MaybeTime reads a timestamptz, and reports whether it is not NULL.
func (r *Row) MaybeTime() (time.Time, bool) {
	v := r.next()
	if v == nil {
		return time.Time{}, false
	}
	if len(v) != 8 {
		r.Bad = true
		return time.Time{}, false
	}
	us := int64(binary.BigEndian.Uint64(v))
	switch us {
	case math.MinInt64:
		return time.Time{}, true
	case math.MaxInt64:
		return time.UnixMicro(math.MaxInt64).UTC(), true
	}
	return time.UnixMicro(us + epoch).UTC(), true
}

// Ints reads a bigint[].
func (r *Row) Ints() []int64 {
	v := r.next()
	if len(v) < 12 {
		r.Bad = true
		return nil
	}
	if binary.BigEndian.Uint32(v) == 0 {
		return nil
	}
	if len(v) < 20 || (len(v)-20)%12 != 0 || binary.BigEndian.Uint32(v) != 1 ||
		binary.BigEndian.Uint32(v[8:]) != oidInt8 ||
		int(binary.BigEndian.Uint32(v[12:])) != (len(v)-20)/12 {
		r.Bad = true
		return nil
	}
	ints := make([]int64, 0, (len(v)-20)/12)
	for v = v[20:]; len(v) > 0; v = v[12:] {
		if binary.BigEndian.Uint32(v) != 8 {
			r.Bad = true
			return nil
		}
		ints = append(ints, int64(binary.BigEndian.Uint64(v[4:])))
	}
	return ints
}

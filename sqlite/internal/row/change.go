package row

import (
	"encoding/binary"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ChangeValues packs the fields of a change into one value: numbers as varints, and each
// text after its length.
func ChangeValues(owner string, c *store.Change) []any {
	b := make([]byte, 0, 128)
	for _, n := range []int64{c.Before, c.After, c.Entries, Micros(c.Time)} {
		b = binary.AppendVarint(b, n)
	}
	a := &c.Author
	for _, s := range []string{string(c.Op), string(c.Kind), c.Path, c.From, a.Client, a.Version, a.Key, a.Session} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return []any{owner, c.Revision, b, Sum(owner, c.Revision, b)}
}

// Change reads it.
func (f *Fields) Change(owner string) (c store.Change) {
	c.Revision = f.Int()
	b := f.Bytes()
	f.Check(owner, c.Revision, b)
	var micros int64
	for _, n := range []*int64{&c.Before, &c.After, &c.Entries, &micros} {
		v, size := binary.Varint(b)
		if size <= 0 {
			f.Bad = true
			return c
		}
		*n, b = v, b[size:]
	}
	c.Time = FromMicros(micros)
	var op, kind string
	a, all := &c.Author, string(b) // the texts share it
	for _, s := range []*string{&op, &kind, &c.Path, &c.From, &a.Client, &a.Version, &a.Key, &a.Session} {
		length, size := binary.Uvarint(b)
		if size <= 0 || length > uint64(len(b)-size) {
			f.Bad = true
			return c
		}
		end := size + int(length)
		*s, b, all = all[size:end], b[end:], all[end:]
	}
	c.Op, c.Kind = store.ChangeOp(op), store.PathKind(kind)
	f.Bad = f.Bad || len(b) > 0
	return c
}

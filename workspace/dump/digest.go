package dump

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The digest is the SHA-256 of all rows. In a row, each number is a varint, each text
// follows its length, a time is its microseconds since 1970, and content is its own
// SHA-256 after its length. So two rows that differ have different encodings, and no two
// lists of rows have the same one.

// addDigest adds a row to the digest.
func (c *Checker) addDigest(r store.Row) {
	if c.digest == nil {
		c.digest = sha256.New()
	}
	c.row = appendRow(c.row[:0], r, c.actual)
	c.digest.Write(c.row)
}

// appendRow appends a row whose content has the SHA-256 actual.
func appendRow(b []byte, r store.Row, actual [sha256.Size]byte) []byte {
	b = appendText(append(b, '{'), r.Path)
	if s := r.State; s != nil {
		b = appendInts(append(b, 'o'), s.Files, s.Logs, s.Entries, s.Bytes, s.Operations, s.FileFloor, s.LogFloor,
			s.DeletedFiles, s.DeletedLogs, s.Requests, s.Versions, s.Revision, s.Changes, s.Updated.UnixMicro())
	}
	if c := r.Change; c != nil {
		b = appendInts(append(b, 'c'), c.Revision, c.Before, c.After, c.Entries, c.Time.UnixMicro())
		b = appendText(b, string(c.Op), string(c.Kind), c.Path, c.From, c.Author.Client, c.Author.Version, c.Author.Key,
			c.Author.Session)
	}
	if h := r.File; h != nil {
		b = appendText(append(b, 'f'), h.Path)
		b = appendInts(b, h.Version, int64(len(h.Sizes)))
		b = appendInts(b, h.Sizes...)
		b = appendInts(b, h.Summary, flag(h.Deleted), h.Created.UnixMicro(), h.Updated.UnixMicro())
	}
	if v := r.Version; v != nil {
		b = appendInts(append(b, 'v'), v.Number, v.Size)
		b = appendWritten(b, v.Author, v.Time, v.SHA256, int64(len(v.Content)), actual)
		if r := v.Redacted; r != nil {
			b = appendText(append(b, 'x'), r.Author.Client, r.Author.Version, r.Author.Key, r.Author.Session)
			b = appendInts(b, r.Time.UnixMicro())
		}
	}
	if s := r.Summary; s != nil {
		b = appendInts(append(b, 's'), s.Version, s.Tokens)
		b = appendText(b, s.Method, s.Model, s.Prompt)
		b = appendWritten(b, store.Author{}, s.Time, s.SHA256, int64(len(s.Content)), actual)
	}
	if h := r.Log; h != nil {
		b = appendText(append(b, 'l'), h.Path)
		b = appendInts(b, h.First, h.Last, h.Bytes, flag(h.Deleted), h.Created.UnixMicro(), h.Updated.UnixMicro())
	}
	if e := r.Entry; e != nil {
		b = appendInts(append(b, 'e'), e.ID)
		b = appendWritten(b, e.Author, e.Time, e.SHA256, int64(len(e.Content)), actual)
	}
	if q := r.Request; q != nil {
		b = appendText(append(b, 'r'), q.Key)
		b = append(b, q.Hash[:]...)
		b = appendInts(b, q.Time.UnixMicro(), q.Outcome.Number, q.Outcome.Count, q.Outcome.Bytes)
	}
	return append(b, '}')
}

func appendWritten(b []byte, a store.Author, at time.Time, sum [sha256.Size]byte, size int64,
	actual [sha256.Size]byte) []byte {
	b = appendText(b, a.Client, a.Version, a.Key, a.Session)
	b = append(appendInts(b, at.UnixMicro()), sum[:]...)
	return append(appendInts(b, size), actual[:]...)
}

func appendInts(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func appendText(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Package receipt has the form in which a database keeps the receipt of a redaction: in the
// column of the content that was removed. A row whose SHA-256 is 32 zero bytes, which no
// content has, holds a receipt.
package receipt

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Pack returns a receipt as bytes. They end with their CRC-32C, because no hash of a content
// covers them.
func Pack(r store.Redaction) []byte {
	b := binary.AppendVarint(nil, r.Time.UnixMicro())
	for _, s := range []string{r.Author.Client, r.Author.Version, r.Author.Key} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// Parse reads what Pack has packed. It reports false for other bytes.
func Parse(b []byte) (r store.Redaction, ok bool) {
	end := len(b) - crc32.Size
	if end < 0 || crc32.Checksum(b[:end], castagnoli) != binary.BigEndian.Uint32(b[end:]) {
		return r, false
	}
	micros, n := binary.Varint(b[:end])
	if n <= 0 {
		return r, false
	}
	b = b[n:end]
	for _, s := range []*string{&r.Author.Client, &r.Author.Version, &r.Author.Key} {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return store.Redaction{}, false
		}
		end := n + int(length)
		*s, b = string(b[n:end]), b[end:]
	}
	r.Time = time.UnixMicro(micros).UTC()
	return r, len(b) == 0
}

// Marks reports whether the SHA-256 of a row says that the row holds a receipt.
func Marks(sum [sha256.Size]byte) bool { return sum == [sha256.Size]byte{} }

// Unpack sets what a row holds in the column of its content. It reports false for a receipt
// that cannot be read.
func Unpack(v *store.Version, column []byte) bool {
	if !Marks(v.SHA256) {
		v.Content = column
		return true
	}
	r, ok := Parse(column)
	v.Redacted = &r
	return ok && v.Size == 0
}

// Column returns what a row of a version holds in the column of its content.
func Column(v *store.Version) []byte {
	if v.Redacted != nil {
		return Pack(*v.Redacted)
	}
	return v.Content
}

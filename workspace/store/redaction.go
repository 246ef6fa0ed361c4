package store

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// A Redaction is the receipt of a redaction. A redaction removes the content of one version of
// a file, or of one entry of a log, for good. The receipt stays as long as the version or the
// entry.
type Redaction struct {
	Time   time.Time // in UTC, to the microsecond
	Author Author    // who removed the content, without Session
}

// VersionRedaction removes the content of a retained version. Owner is the owner's state after
// the change.
type VersionRedaction struct {
	Head   FileHead // its Sizes have 0 for the version
	Number int64    // of the version
	Redaction
	Forget bool   // removes all summaries of the file
	Change Change // the row for the journal; a Revision of 0: no row
	Owner  OwnerState
}

// EntryRedaction removes the content of an entry of a log. Owner is the owner's state after the
// change.
type EntryRedaction struct {
	Head LogHead // its Bytes are without the content
	ID   int64   // of the entry
	Redaction
	Change Change // the row for the journal; a Revision of 0: no row
	Owner  OwnerState
}

// castagnoli returns the table, which the first call makes.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// pack returns the form in which a database keeps a receipt, in the column of the content
// that was removed. The last bytes are the CRC-32C of the rest, because no hash of a content
// covers them.
func (r *Redaction) pack() []byte {
	b := Pack([]int64{r.Time.UnixMicro()}, r.Author.Client, r.Author.Version, r.Author.Key)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

// unpack reads what pack has returned. It reports false for other bytes.
func (r *Redaction) unpack(b []byte) bool {
	end := max(0, len(b)-crc32.Size)
	var micros int64
	ok := end > 0 && crc32.Checksum(b[:end], castagnoli()) == binary.BigEndian.Uint32(b[end:]) &&
		Unpack(b[:end], []*int64{&micros}, &r.Author.Client, &r.Author.Version, &r.Author.Key)
	r.Time = time.UnixMicro(micros).UTC()
	return ok
}

// Pack encodes numbers as varints, and then texts, each after its length. [Unpack] decodes
// the result.
func Pack(numbers []int64, texts ...string) []byte {
	b := make([]byte, 0, 128)
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// Unpack decodes a result of [Pack] with the same number of numbers and texts. If b is no such
// result, Unpack returns false.
func Unpack(b []byte, numbers []*int64, texts ...*string) bool {
	for _, n := range numbers {
		v, size := binary.Varint(b)
		if size <= 0 {
			return false
		}
		*n, b = v, b[size:]
	}
	for _, s := range texts {
		length, size := binary.Uvarint(b)
		if size <= 0 || length > uint64(len(b)-size) {
			return false
		}
		end := size + int(length)
		*s, b = string(b[size:end]), b[end:]
	}
	return len(b) == 0
}

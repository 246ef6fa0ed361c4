package receipt

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A receipt with one bit changed, or cut, is none.
func TestDamage(t *testing.T) {
	r := store.Redaction{Time: time.UnixMicro(1_800_000_000_123_456).UTC(), Author: store.Author{Client: "c\x00", Version: "1", Key: "k"}}
	b := Pack(r)
	if got, ok := Parse(b); !ok || got != r {
		t.Fatalf("Parse = %+v, %v, want %+v", got, ok, r)
	}
	for i := range len(b) * 8 {
		other := bytes.Clone(b)
		other[i/8] ^= 1 << (i % 8)
		if got, ok := Parse(other); ok {
			t.Errorf("with bit %d changed: %+v", i, got)
		}
	}
	for n := range b {
		if got, ok := Parse(b[:n]); ok {
			t.Errorf("the first %d bytes: %+v", n, got)
		}
	}
	if got, ok := Parse(append(b, 0)); ok {
		t.Errorf("with another byte: %+v", got)
	}
}

// FuzzParse reads any bytes whose checksum is right. What is read as a receipt is written
// and read back the same.
func FuzzParse(f *testing.F) {
	for _, a := range []store.Author{{}, {Client: "c", Version: "1", Key: "k"}, {Key: "\xff\x00"}} {
		b := Pack(store.Redaction{Time: time.UnixMicro(-1), Author: a})
		f.Add(b[:len(b)-crc32.Size])
	}
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := Parse(binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)))
		if !ok {
			return
		}
		if again, ok := Parse(Pack(r)); !ok || again != r {
			t.Errorf("%x reads as %+v, and that as %+v, %v", b, r, again, ok)
		}
	})
}

package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"
)

// A receipt with one bit changed, or cut, is none.
func TestReceiptDamage(t *testing.T) {
	r := Redaction{Time: time.UnixMicro(1_800_000_000_123_456).UTC(), Author: Author{Client: "c\x00", Version: "1", Key: "k"}}
	b := r.pack()
	var got Redaction
	if !got.unpack(b) || got != r {
		t.Fatalf("unpack = %+v, want %+v", got, r)
	}
	for i := range len(b) * 8 {
		other := bytes.Clone(b)
		other[i/8] ^= 1 << (i % 8)
		if got.unpack(other) {
			t.Errorf("with bit %d changed: %+v", i, got)
		}
	}
	for n := range b {
		if got.unpack(b[:n]) {
			t.Errorf("the first %d bytes: %+v", n, got)
		}
	}
	if got.unpack(append(b, 0)) {
		t.Errorf("with another byte: %+v", got)
	}
}

// FuzzReceipt reads any bytes whose checksum is right. What is read as a receipt is written
// and read back the same.
func FuzzReceipt(f *testing.F) {
	for _, a := range []Author{{}, {Client: "c", Version: "1", Key: "k"}, {Key: "\xff\x00"}} {
		b := (&Redaction{Time: time.UnixMicro(-1), Author: a}).pack()
		f.Add(b[:len(b)-crc32.Size])
	}
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again Redaction
		if !r.unpack(binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))) {
			return
		}
		if !again.unpack(r.pack()) || again != r {
			t.Errorf("%x reads as %+v, and that as %+v", b, r, again)
		}
	})
}

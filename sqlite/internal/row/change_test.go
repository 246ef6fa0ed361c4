package row

import (
	"database/sql/driver"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// FuzzChange reads any bytes as a change whose checksum is right. What is read as sound is
// written and read back the same.
func FuzzChange(f *testing.F) {
	for _, c := range []store.Change{
		{Revision: 7, Op: store.OpMove, Kind: store.KindFile, Path: "b", From: "a", Before: 1, After: 2, Time: time.UnixMicro(1_700_000_000_000_001).UTC(),
			Author: store.Author{Client: "c", Version: "1", Key: "k", Session: "s"}},
		{Revision: 7, Op: store.OpAppend, Kind: store.KindLog, Path: "l", After: 1 << 62, Entries: 3},
	} {
		values := ChangeValues("local/a", &c)
		f.Add(values[2].([]byte))
		read := Fields{Row: []driver.Value{values[1], values[2], values[3]}}
		if diff := cmp.Diff(c, read.Change("local/a")); diff != "" || read.Bad {
			f.Errorf("read back, want - got +:\n%s", diff)
		}
	}
	f.Add([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		read := Fields{Row: []driver.Value{int64(7), b, Sum("local/a", int64(7), b)}}
		c := read.Change("local/a")
		if read.Bad {
			return
		}
		values := ChangeValues("local/a", &c)
		again := Fields{Row: []driver.Value{values[1], values[2], values[3]}}
		if diff := cmp.Diff(c, again.Change("local/a")); diff != "" || again.Bad {
			t.Errorf("read back, want - got +:\n%s", diff)
		}
	})
}

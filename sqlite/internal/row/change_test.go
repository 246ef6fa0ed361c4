package row

import (
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// FuzzChange reads any bytes as a change whose checksum is right. What is read as sound is
// written and read back the same.
func FuzzChange(f *testing.F) {
	again := func(t testing.TB, c store.Change) {
		t.Helper()
		_, values := Values("local/a", store.Row{Change: &c})
		var got store.Change
		err := (&Fields{Row: values[1:]}).Read("local/a", store.Row{Change: &got})
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("read back, %v, want - got +:\n%s", err, diff)
		}
	}
	for _, c := range []store.Change{
		{Revision: 7, Op: store.OpMove, Kind: store.KindFile, Path: "b", From: "a", Before: 1, After: 2, Time: time.UnixMicro(1_700_000_000_000_001).UTC(),
			Author: store.Author{Client: "c", Version: "1", Key: "k", Session: "s"}},
		{Revision: 7, Op: store.OpAppend, Kind: store.KindLog, Path: "l", After: 1 << 62, Entries: 3},
	} {
		f.Add(packChange(&c))
		again(f, c)
	}
	f.Add([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		revision, c := int64(7), store.Change{}
		read := Fields{Row: Record([]any{&revision, &b}, "local/a")[1:]}
		if read.Read("local/a", store.Row{Change: &c}) == nil {
			again(t, c)
		}
	})
}

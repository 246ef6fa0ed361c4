package pad_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// Deleted values are freed, also if they were accessed after a snapshot.
func TestDeletedValuesAreFreed(t *testing.T) {
	const n, size = 40, 1 << 20
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	ms := int64(1e12)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { ms++; return time.UnixMilli(ms) }})
	for i := range n {
		_ = p.Set(fmt.Sprint(i), make([]byte, size))
	}
	p.Snapshot()
	for i := range n {
		p.Get(fmt.Sprint(i))
	}
	p.Clear()
	p.Snapshot()
	if more := inUse() - before; more > n*size/2 {
		t.Errorf("%d MiB are in use when %d MiB were deleted", more>>20, n*size>>20)
	}
	runtime.KeepAlive(p)
}

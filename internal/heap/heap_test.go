package heap

import (
	"context"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is given back when the process is calm, and only after some work.
func TestWork(t *testing.T) {
	w := work{last: 1000}
	now := uint64(1000)
	for i, step := range []struct {
		allocated uint64
		over      bool
	}{
		{worth - 1, false}, {0, false}, // too little
		{1, true}, {0, false}, // once
		{worth / 2, false}, {worth / 2, true}, // calm all the time
		{calm, false}, {5 * calm, false}, {calm - 1, true}, {0, false},
	} {
		now += step.allocated
		if got := w.isOver(now); got != step.over {
			t.Errorf("step %d: over is %v, want %v", i, got, step.over)
		}
	}
}

var sink []byte

// A process that has worked and is calm holds little more than what it uses.
func TestGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go GiveBack(ctx)
		synctest.Wait()
		for range 4 {
			sink = make([]byte, worth)
			for i := 0; i < len(sink); i += 4096 {
				sink[i] = 1 // so that the system must give the page
			}
		}
		sink = nil
		before := held()
		time.Sleep(3 * look)
		synctest.Wait()
		if after := held(); after+worth/2 > before {
			t.Errorf("the process holds %d KiB, and when it was calm %d KiB", before>>10, after>>10)
		}
	})
}

// held returns the bytes of the heap that the system has given.
func held() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64() + samples[2].Value.Uint64()
}

package fit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// BenchmarkDiff goes from two texts of 1 MiB to the chunks or the refusal.
func BenchmarkDiff(b *testing.B) {
	for _, symbols := range []int{2, 50, 1000} {
		for _, share := range []int{1, 10, 25, 50, 100} {
			b.Run(fmt.Sprintf("symbols=%d/changed=%d%%", symbols, share), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				line := func() []byte { return fmt.Appendf(nil, "%x\n", r.IntN(symbols)) }
				var old, text bytes.Buffer
				for old.Len() < 1<<20-8 {
					l := line()
					old.Write(l)
					if r.IntN(100) < share {
						l = line()
					}
					text.Write(l)
				}
				text.Truncate(min(text.Len(), 1<<20))
				b.ReportAllocs()
				sent := 0.0
				for b.Loop() {
					if chunks, _ := fit.Diff(linediff.Compare(old.Bytes(), text.Bytes()), text.Bytes(), 3); chunks != nil {
						sent = 1
					}
				}
				b.ReportMetric(sent, "sent")
			})
		}
	}
}

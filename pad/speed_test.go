package pad_test

import (
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// BenchmarkConstant measures the operations whose time must not depend on the size.
func BenchmarkConstant(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		p, err := pad.New(pad.Options{})
		testkit.Must(b, err)
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("key-%d", i)
			put(b, p, keys[i], i)
		}
		s := p.Snapshot()
		i := 0
		for _, c := range []struct {
			name string
			call func()
		}{
			{"snapshot", func() { p.Snapshot() }},
			{"fork", func() { p.Fork() }},
			{"restore", func() { _ = p.Restore(s) }},
			{"snapshot-and-first-set", func() { p.Snapshot(); i += 7919; _ = p.Set(keys[i%n], "x") }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.call()
				}
			})
		}
	}
}

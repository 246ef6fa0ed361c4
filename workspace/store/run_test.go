package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A head that keeps and drops versions at random has the ones that a plain list has.
func TestRuns(t *testing.T) {
	type one struct {
		n, size int64
		created time.Time
	}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var h store.FileHead
		var want []one
		for range 12 {
			before, sizes, runs := h, slices.Clone(h.Sizes), slices.Clone(h.Runs)
			switch rng.IntN(4) {
			case 0:
				most := rng.Int64N(h.Version + 2)
				keep := func(n int64) bool { return n > most }
				if rng.IntN(2) == 0 {
					keep = func(n int64) bool { return n%3 != most%3 }
				}
				h.Retain(keep)
				want = slices.DeleteFunc(slices.Clone(want), func(v one) bool { return !keep(v.n) })
			default:
				v := one{h.Version + 1 + rng.Int64N(2)*rng.Int64N(3), rng.Int64N(9), time.Unix(rng.Int64N(2), 0)}
				h.Keep(v.n, v.size, v.created)
				want = append(want, v)
			}
			if !slices.Equal(before.Sizes, sizes) || !slices.Equal(before.Runs, runs) {
				t.Fatalf("seed %d: a head before changed to %+v", seed, before)
			}
			var numbers []int64
			for i, v := range want {
				numbers = append(numbers, v.n)
				if !h.Has(v.n) || h.Index(v.n) != i || h.SizeOf(v.n) != v.size || !h.CreatedOf(v.n).Equal(v.created) {
					t.Fatalf("seed %d: version %d of %+v, want %+v", seed, v.n, h, v)
				}
			}
			if got := h.Numbers(); !slices.Equal(got, numbers) || len(h.Sizes) != len(numbers) {
				t.Fatalf("seed %d: %+v retains %v, want %v", seed, h, got, numbers)
			}
			for n := range h.Version + 2 {
				if h.Has(n) != slices.Contains(numbers, n) {
					t.Fatalf("seed %d: %+v has version %d: %v", seed, h, n, h.Has(n))
				}
			}
			if len(numbers) > 0 && h.Oldest() != numbers[0] {
				t.Fatalf("seed %d: the oldest of %+v is %d, want %d", seed, h, h.Oldest(), numbers[0])
			}
		}
	}
}

package search

import (
	"context"

	"golang.org/x/sync/semaphore"
)

const (
	// Memory is how many bytes all searches of a [Budget] may use together.
	Memory = 64 << 20

	// PageBytes is about how much content a page may have, if it has more than one text.
	PageBytes = 256 << 10

	fixed   = 10 << 20 // of one search: the texts and records that it keeps, and its passages
	inPages = 4        // texts of the largest size at once: one that is read, its copy, and one for each worker
)

// A Budget limits the memory of all searches together. It is safe for concurrent use.
type Budget struct{ free *semaphore.Weighted }

// NewBudget returns a Budget of [Memory] bytes.
func NewBudget() Budget { return Budget{semaphore.NewWeighted(Memory)} }

// Weight returns the memory of a search over texts of at most so many bytes. A search
// never weighs more than the whole budget.
func Weight(largest int64) int64 {
	if largest > (Memory-fixed)/inPages {
		return Memory
	}
	return fixed + inPages*largest
}

// Take waits until there is memory for a search. done gives it back.
func (b Budget) Take(ctx context.Context, weight int64) (done func(), err error) {
	if err := b.free.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { b.free.Release(weight) }, nil
}

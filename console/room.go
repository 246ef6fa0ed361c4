package console

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	roomBytes    = 48 << 20        // for the requests and answers of all people together
	foreignBytes = 16 << 20        // for the forms of people whose session has ended
	roomWait     = 5 * time.Second // for others to finish
)

// A room bounds the memory that requests and answers take.
type room struct {
	left  *semaphore.Weighted
	bytes int64 // when it is empty
}

func newRoom(bytes int64) *room { return &room{semaphore.NewWeighted(bytes), bytes} }

// take waits for room, and returns a function that gives it back. Errors: [*Busy].
func (q *room) take(ctx context.Context, bytes int64) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	bytes = min(bytes, q.bytes)
	if q.left.Acquire(ctx, bytes) != nil {
		return nil, &Busy{After: time.Second, Text: "the console is busy with the pages of others"}
	}
	return func() { q.left.Release(bytes) }, nil
}

package conversation_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// A listJournal is a journal in memory. fail, where set, decides what an Append
// fails with, before anything is stored.
type listJournal struct {
	mu      sync.Mutex
	records []conversation.Record
	fail    func([]conversation.Record) error
}

var errFull = errors.New("the disk is full")

func (j *listJournal) Append(ctx context.Context, records ...conversation.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		if err := j.fail(records); err != nil {
			return err
		}
	}
	for i := range records {
		records[i].Seq = int64(len(j.records) + 1)
		j.records = append(j.records, j.copy(records[i]))
	}
	return nil
}

// copy goes through JSON, as every durable journal does.
func (j *listJournal) copy(r conversation.Record) conversation.Record {
	text, err := r.MarshalJSON()
	if err != nil {
		panic(err)
	}
	var c conversation.Record
	if err := c.UnmarshalJSON(text); err != nil {
		panic(err)
	}
	return c
}

func (j *listJournal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		j.mu.Lock()
		records := slices.Clone(j.records)
		j.mu.Unlock()
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				yield(conversation.Record{}, err)
				return
			}
			if r.Seq > after && !yield(r, nil) {
				return
			}
		}
	}
}

func (j *listJournal) setFail(fail func([]conversation.Record) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail = fail
}

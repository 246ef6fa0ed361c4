package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// summaryShelf keeps summaries outside of the transactions.
type summaryShelf struct {
	mu  sync.Mutex // guards all
	all map[string]store.Summary
}

func (b *summaryShelf) put(path string, s store.Summary) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Content = slices.Clone(s.Content)
	b.all[fmt.Sprintf("%s %+v", path, s.SummaryKey)] = s
}

func (b *summaryShelf) get(path string, k store.SummaryKey) (store.Summary, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.all[fmt.Sprintf("%s %+v", path, k)]
	s.Content = slices.Clone(s.Content)
	return s, ok
}

type shelved struct {
	plain.Calls
	shelf *summaryShelf
	owner bool // the shelf is looked at only where the owner has the file
}

func sharedSummaries(s store.Store) store.Store {
	shelf := &summaryShelf{all: map[string]store.Summary{}}
	return bent{s, func(tx plain.Calls) plain.Calls { return shelved{tx, shelf, false} }}
}

// stickySummaries keeps the summaries of a transaction that was undone.
func stickySummaries(s store.Store) store.Store {
	shelf := &summaryShelf{all: map[string]store.Summary{}}
	return bent{s, func(tx plain.Calls) plain.Calls { return shelved{tx, shelf, true} }}
}

func (tx shelved) SaveSummary(c store.SummaryChange) error {
	tx.shelf.put(c.Head.Path, c.New)
	return tx.Calls.SaveSummary(c)
}

func (tx shelved) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	if h, _, _ := tx.File(path); !tx.owner || h.Exists() {
		if s, ok := tx.shelf.get(path, k); ok {
			return s, nil
		}
	}
	return tx.Calls.Summary(path, k)
}

type neverForgets struct{ plain.Calls }

func (tx neverForgets) SaveFile(c store.FileChange) error {
	c.Forget = false
	return tx.Calls.SaveFile(c)
}

type alwaysForgets struct{ plain.Calls }

func (tx alwaysForgets) SaveFile(c store.FileChange) error {
	c.Forget = true
	return tx.Calls.SaveFile(c)
}

// summaryKeysWithout folds different keys into one; nil: it folds paths.
func summaryKeysWithout(fold func(*store.SummaryKey)) func(store.Store) store.Store {
	if fold == nil {
		return bend(func(tx plain.Calls) plain.Calls { return onePath{tx} })
	}
	return bend(func(tx plain.Calls) plain.Calls { return foldedKeys{tx, fold} })
}

type foldedKeys struct {
	plain.Calls
	fold func(*store.SummaryKey)
}

func (tx foldedKeys) SaveSummary(c store.SummaryChange) error {
	tx.fold(&c.New.SummaryKey)
	return tx.Calls.SaveSummary(c)
}

func (tx foldedKeys) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	asked := k
	tx.fold(&k)
	s, err := tx.Calls.Summary(path, k)
	s.SummaryKey = asked
	return s, err
}

// onePath finds the summary of a file under the path of another.
type onePath struct{ plain.Calls }

func (tx onePath) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	s, err := tx.Calls.Summary(path, k)
	for _, other := range []string{"a", "A", "ab"} {
		if err == nil {
			break
		}
		s, err = tx.Calls.Summary(other, k)
	}
	return s, err
}

// listsSummaries lists other summaries than those of a file.
type listsSummaries struct {
	plain.Calls
	as func(tx plain.Calls, path string) ([]store.Summary, error)
}

func (tx listsSummaries) Summaries(path string) ([]store.Summary, error) {
	return tx.as(tx.Calls, path)
}

func listOfOthers(tx plain.Calls, path string) ([]store.Summary, error) {
	list, err := tx.Summaries(path)
	if len(list) == 0 {
		list, err = tx.Summaries("A")
	}
	return list, err
}

func listReversed(tx plain.Calls, path string) ([]store.Summary, error) {
	list, err := tx.Summaries(path)
	slices.Reverse(list)
	return list, err
}

func listWithContent(tx plain.Calls, path string) ([]store.Summary, error) {
	list, err := tx.Summaries(path)
	for i := range list {
		whole, e := tx.Summary(path, list[i].SummaryKey)
		list[i].Content, err = whole.Content, errors.Join(err, e)
	}
	return list, err
}

type keepsSummary struct{ plain.Calls }

func (tx keepsSummary) SaveSummary(c store.SummaryChange) error {
	if old, err := tx.Summary(c.Head.Path, c.New.SummaryKey); err == nil {
		c.New = old
	}
	return tx.Calls.SaveSummary(c)
}

type cutSummary struct{ plain.Calls }

func (tx cutSummary) SaveSummary(c store.SummaryChange) error {
	c.New.Content = cut(c.New.Content)
	return tx.Calls.SaveSummary(c)
}

// summaryAlone saves a summary without the head or without the state.
type summaryAlone struct {
	plain.Calls
	head bool // the head; false: the state
}

func (tx summaryAlone) SaveSummary(c store.SummaryChange) error {
	head, state, err := tx.File(c.Head.Path)
	if tx.head {
		c.Head = head
	} else {
		c.Owner = state
	}
	return errors.Join(err, tx.Calls.SaveSummary(c))
}

type summarySeconds struct{ plain.Calls }

func (tx summarySeconds) SaveSummary(c store.SummaryChange) error {
	c.New.Time = c.New.Time.Truncate(time.Second)
	return tx.Calls.SaveSummary(c)
}

// sharesSummaries gives every caller the same bytes.
func sharesSummaries(s store.Store) store.Store {
	contents := map[string][]byte{}
	return bent{s, func(tx plain.Calls) plain.Calls { return sharedSummary{tx, contents} }}
}

type sharedSummary struct {
	plain.Calls
	contents map[string][]byte
}

func (tx sharedSummary) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	s, err := tx.Calls.Summary(path, k)
	if err == nil {
		if _, ok := tx.contents[path]; !ok {
			tx.contents[path] = s.Content
		}
		s.Content = tx.contents[path]
	}
	return s, err
}

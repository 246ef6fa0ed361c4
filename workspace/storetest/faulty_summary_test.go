package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// summaryShelf keeps summaries outside of the transactions.
type summaryShelf struct {
	mu  sync.Mutex // guards all
	all map[string]workspace.Summary
}

func (b *summaryShelf) put(path string, s workspace.Summary) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Content = slices.Clone(s.Content)
	b.all[fmt.Sprintf("%s %+v", path, s.SummaryKey)] = s
}

func (b *summaryShelf) get(path string, k workspace.SummaryKey) (workspace.Summary, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.all[fmt.Sprintf("%s %+v", path, k)]
	s.Content = slices.Clone(s.Content)
	return s, ok
}

type shelved struct {
	workspace.Tx
	shelf *summaryShelf
	owner bool // the shelf is looked at only where the owner has the file
}

func sharedSummaries(s workspace.Store) workspace.Store {
	shelf := &summaryShelf{all: map[string]workspace.Summary{}}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return shelved{tx, shelf, false} }}
}

// stickySummaries keeps the summaries of a transaction that was undone.
func stickySummaries(s workspace.Store) workspace.Store {
	shelf := &summaryShelf{all: map[string]workspace.Summary{}}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return shelved{tx, shelf, true} }}
}

func (tx shelved) SaveSummary(c workspace.SummaryChange) error {
	tx.shelf.put(c.Head.Path, c.New)
	return tx.Tx.SaveSummary(c)
}

func (tx shelved) Summary(path string, k workspace.SummaryKey) (workspace.Summary, error) {
	if h, _, _ := tx.File(path); !tx.owner || h.Exists() {
		if s, ok := tx.shelf.get(path, k); ok {
			return s, nil
		}
	}
	return tx.Tx.Summary(path, k)
}

type neverForgets struct{ workspace.Tx }

func (tx neverForgets) SaveFile(c workspace.FileChange) error {
	c.Forget = false
	return tx.Tx.SaveFile(c)
}

type alwaysForgets struct{ workspace.Tx }

func (tx alwaysForgets) SaveFile(c workspace.FileChange) error {
	c.Forget = true
	return tx.Tx.SaveFile(c)
}

// summaryKeysWithout folds different keys into one; nil: it folds paths.
func summaryKeysWithout(fold func(*workspace.SummaryKey)) func(workspace.Store) workspace.Store {
	if fold == nil {
		return bend(func(tx workspace.Tx) workspace.Tx { return onePath{tx} })
	}
	return bend(func(tx workspace.Tx) workspace.Tx { return foldedKeys{tx, fold} })
}

type foldedKeys struct {
	workspace.Tx
	fold func(*workspace.SummaryKey)
}

func (tx foldedKeys) SaveSummary(c workspace.SummaryChange) error {
	tx.fold(&c.New.SummaryKey)
	return tx.Tx.SaveSummary(c)
}

func (tx foldedKeys) Summary(path string, k workspace.SummaryKey) (workspace.Summary, error) {
	asked := k
	tx.fold(&k)
	s, err := tx.Tx.Summary(path, k)
	s.SummaryKey = asked
	return s, err
}

// onePath finds the summary of a file under the path of another.
type onePath struct{ workspace.Tx }

func (tx onePath) Summary(path string, k workspace.SummaryKey) (workspace.Summary, error) {
	s, err := tx.Tx.Summary(path, k)
	for _, other := range []string{"a", "A", "ab"} {
		if err == nil {
			break
		}
		s, err = tx.Tx.Summary(other, k)
	}
	return s, err
}

// listsSummaries lists other summaries than those of a file.
type listsSummaries struct {
	workspace.Tx
	as func(tx workspace.Tx, path string) ([]workspace.Summary, error)
}

func (tx listsSummaries) Summaries(path string) ([]workspace.Summary, error) {
	return tx.as(tx.Tx, path)
}

func listOfOthers(tx workspace.Tx, path string) ([]workspace.Summary, error) {
	list, err := tx.Summaries(path)
	if len(list) == 0 {
		list, err = tx.Summaries("A")
	}
	return list, err
}

func listReversed(tx workspace.Tx, path string) ([]workspace.Summary, error) {
	list, err := tx.Summaries(path)
	slices.Reverse(list)
	return list, err
}

func listWithContent(tx workspace.Tx, path string) ([]workspace.Summary, error) {
	list, err := tx.Summaries(path)
	for i := range list {
		whole, e := tx.Summary(path, list[i].SummaryKey)
		list[i].Content, err = whole.Content, errors.Join(err, e)
	}
	return list, err
}

type keepsSummary struct{ workspace.Tx }

func (tx keepsSummary) SaveSummary(c workspace.SummaryChange) error {
	if old, err := tx.Summary(c.Head.Path, c.New.SummaryKey); err == nil {
		c.New = old
	}
	return tx.Tx.SaveSummary(c)
}

type cutSummary struct{ workspace.Tx }

func (tx cutSummary) SaveSummary(c workspace.SummaryChange) error {
	c.New.Content = cut(c.New.Content)
	return tx.Tx.SaveSummary(c)
}

// summaryAlone saves a summary without the head or without the state.
type summaryAlone struct {
	workspace.Tx
	head bool // the head; false: the state
}

func (tx summaryAlone) SaveSummary(c workspace.SummaryChange) error {
	head, state, err := tx.File(c.Head.Path)
	if tx.head {
		c.Head = head
	} else {
		c.Owner = state
	}
	return errors.Join(err, tx.Tx.SaveSummary(c))
}

type summarySeconds struct{ workspace.Tx }

func (tx summarySeconds) SaveSummary(c workspace.SummaryChange) error {
	c.New.Time = c.New.Time.Truncate(time.Second)
	return tx.Tx.SaveSummary(c)
}

// sharesSummaries gives every caller the same bytes.
func sharesSummaries(s workspace.Store) workspace.Store {
	contents := map[string][]byte{}
	return bent{s, func(tx workspace.Tx) workspace.Tx { return sharedSummary{tx, contents} }}
}

type sharedSummary struct {
	workspace.Tx
	contents map[string][]byte
}

func (tx sharedSummary) Summary(path string, k workspace.SummaryKey) (workspace.Summary, error) {
	s, err := tx.Tx.Summary(path, k)
	if err == nil {
		if _, ok := tx.contents[path]; !ok {
			tx.contents[path] = s.Content
		}
		s.Content = tx.contents[path]
	}
	return s, err
}

package storetest

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// A bentKept changes the query and the result of KeptVersions.
type bentKept struct {
	plain.Calls
	query func(*store.ScanQuery)
	with  func(*store.Scanned)
}

func (tx bentKept) KeptVersions(q store.ScanQuery) (store.Scanned, error) {
	tx.query(&q)
	s, err := tx.Calls.KeptVersions(q)
	tx.with(&s)
	return s, err
}

func keptOf(query func(*store.ScanQuery), with func(*store.Scanned)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentKept{tx, query, with} })
}

func sameQuery(*store.ScanQuery) {}

func sameVersions(*store.Scanned) {}

func keptWithoutDeleted(s *store.Scanned) {
	s.Files = slices.DeleteFunc(s.Files, func(f store.File) bool { return f.Deleted })
}

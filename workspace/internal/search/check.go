package search

import (
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// MaxHits is the most hits of a search.
const MaxHits = 50

// CheckQuery refuses what is wrong with a query and its options. limitGiven says that the
// limit was given although it is 0. Errors: [store.ErrInvalid].
func CheckQuery(query string, kind store.PathKind, exact, regexp bool, limit int, limitGiven bool, maxTokens int) error {
	switch n := utf8.RuneCountInString(query); {
	case limit < 0 || limit > MaxHits || limit == 0 && limitGiven:
		return store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, limit, MaxHits)
	case maxTokens < -1:
		return store.Errorf(store.ErrInvalid, "%s is %d, the least is -1 (no bound)", store.ArgMaxTokens, maxTokens)
	case kind != "" && kind != store.KindFile && kind != store.KindLog:
		return store.Errorf(store.ErrInvalid, "the kind is %q, allowed are %q and %q", kind, store.KindFile, store.KindLog)
	case exact && regexp:
		return store.Errorf(store.ErrInvalid, "exact and regexp exclude each other")
	case n == 0:
		return store.Errorf(store.ErrInvalid, "the query is empty; give a word to look for")
	case n > MaxQuery:
		return store.Errorf(store.ErrInvalid, "the query has %d characters, limit %d", n, MaxQuery)
	case !utf8.ValidString(query):
		return store.Errorf(store.ErrInvalid, "the query is not valid UTF-8")
	}
	return nil
}

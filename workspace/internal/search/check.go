package search

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The most hits of a search, and the most hits before them.
const (
	MaxHits  = 50
	MaxAfter = 1000
)

const (
	defaultHits      = 10
	defaultHitTokens = 600
)

// Options say what to search, as package workspace describes them.
type Options struct {
	Prefix    string
	Kind      store.PathKind
	Exact     bool
	Regexp    bool
	Limit     int
	After     int
	History   bool
	MaxTokens int
	Under     string
	Zeros     []store.Arg
}

// A Run is a search of pages.
type Run[P comparable] func(context.Context, Pages[P]) (Result, error)

// Begin checks a query and its options, sets the defaults of the options, and returns the
// search. Errors: [store.ErrInvalid].
func Begin[P comparable](query string, o *Options) (Run[P], error) {
	if err := o.check(query); err != nil {
		return nil, err
	}
	if o.Limit == 0 {
		o.Limit = defaultHits
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = defaultHitTokens
	}
	window := Window{o.After, o.Limit}
	if !o.Exact && !o.Regexp {
		q, cause := Parse(query)
		return func(ctx context.Context, pages Pages[P]) (Result, error) { return Rank(ctx, q, window, pages) },
			invalid(cause)
	}
	compile := Exact
	if o.Regexp {
		compile = Regexp
	}
	p, cause := compile(query)
	return func(ctx context.Context, pages Pages[P]) (Result, error) { return Find(ctx, p, window, pages) },
		invalid(cause)
}

// invalid returns the error for what is wrong with a query, nil if nothing is.
func invalid(cause string) error {
	if cause == "" {
		return nil
	}
	e := store.Errorf(store.ErrInvalid, "%s", cause)
	if cause == NoWord {
		e.Way.Do = store.DoSearchExact
	}
	return e
}

// check refuses what is wrong with a query and its options.
func (o *Options) check(query string) error {
	switch n := utf8.RuneCountInString(query); {
	case o.Limit < 0 || o.Limit > MaxHits || o.Limit == 0 && slices.Contains(o.Zeros, store.ArgLimit):
		return store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, o.Limit, MaxHits)
	case o.After < 0 || o.After > MaxAfter:
		return store.Errorf(store.ErrInvalid, "%s is %d, allowed are 0-1,000; narrow the search with %s",
			store.ArgAfter, o.After, store.ArgPrefix)
	case o.MaxTokens < -1:
		return store.Errorf(store.ErrInvalid, "%s is %d, the least is -1 (no bound)", store.ArgMaxTokens, o.MaxTokens)
	case o.Kind != "" && o.Kind != store.KindFile && o.Kind != store.KindLog:
		return store.Errorf(store.ErrInvalid, "the kind is %q, allowed are %q and %q", o.Kind, store.KindFile,
			store.KindLog)
	case o.Exact && o.Regexp:
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

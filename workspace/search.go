package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The defaults and bounds of a search.
const (
	searchHits     = 10
	searchTokens   = 600
	maxSearchHits  = 50
	maxSearchAfter = 1000
)

// SearchOptions of [Workspace.Search]. The zero value searches everything by words.
type SearchOptions struct {
	Prefix    string   // the beginning of the paths, as in ListOptions
	Kind      PathKind // "": files and logs
	Exact     bool     // finds the lines that contain the query, byte for byte
	Regexp    bool     // finds the lines that match the query, in the syntax of package regexp
	Limit     int      // hits at most, 1-50; 0: 10
	After     int      // leaves out so many hits at the beginning, 0-1,000: those of the pages before
	History   bool     // finds older versions that are kept and deleted files too
	MaxTokens int      // tokens of hits and totals at most, as Options.CountTokens counts; 0: 600; -1: no bound

	// Under stands before each path where MaxTokens counts, such as "~/".
	Under string

	// Zeros are the arguments that somebody gave as 0, as in ReadOptions.
	Zeros []store.Arg
}

// A SearchHit is a passage that a search by words found, or a line that a search with Exact or
// Regexp found.
type SearchHit struct {
	Agent   string // the agent of the path; "" in results of Workspace.Search
	Path    string
	Entry   int64     // number of the entry of a log; 0 for a file
	Version int64     // an older version of a file, or one of a deleted file; 0: the current version, or a log
	Deleted bool      // the file is deleted
	Line    int       // line of the file or the entry, from 1
	Time    time.Time // of the version or the entry
	Text    string    // the line, or up to 200 characters of it; white space is single spaces
	Marks   [][2]int  // the ranges of bytes in Text that match, in ascending order
}

// SearchResult is the result of a search.
type SearchResult struct {
	Hits  []SearchHit
	Total int64    // number of passages or lines that matched, those in Hits included
	More  bool     // there are hits after the last one; those begin at SearchOptions.After plus len(Hits)
	Near  []string // if nothing was found by words: up to 3 words of the texts that are like one of the query
	Cut   int      // the MaxTokens that left hits out, or cut the text of the only one; 0: none did

	// Tokens is what the lines of Hits cost, as MaxTokens counts; 0 without a bound.
	Tokens int
}

// AppendLine appends the hit as a line of text without a line feed: path@version, " (deleted)",
// and #entry or a tab and the line, then a tab and the text.
func (h SearchHit) AppendLine(line []byte) []byte {
	return search.Hit(h).AppendLine(line)
}

// Search finds passages in the current files and the log entries, the best first.
//
// The query has 1-1,000 characters. It may contain words in any script, phrases in double
// quotes, and words or phrases after a minus sign. A passage must contain all phrases, or at
// least one word if there is no phrase, and nothing that follows a minus sign. OR and | between
// words are like spaces. Case and marks
// such as accents do not matter. A word also matches a part of a name such as camelCase or
// snake_case. A word of at least 4 characters also matches the beginning of a longer word,
// which counts half. A word of English letters also matches its regular forms with -s, -es, -ed
// and -ing, and the word that it is a form of; they count less. Chinese,
// Japanese, Korean, Thai, Lao, Khmer and Burmese match by characters in a row.
//
// A passage is a section of a Markdown file, a paragraph or 12 lines of another file, or
// an entry of a log. A passage ranks higher if it has more words of the query, rarer words, all
// words, words near each other, or words in the heading or the path. Equal passages are in the
// order of path and place.
//
// A date in the query, such as 2023-05-08, 8 May 2023 or May 8th, matches that date in each of these
// ways to write it, with the same year or without a year. May 2023 matches the days of that month.
//
// With History, Search also looks at the older versions that are kept, and at deleted files that can
// be restored. It finds each line in the newest version that has the line. It never looks at redacted versions.
//
// With Exact or Regexp, each line that matches is a hit, in the order of path and line.
//
// A search reads pages, each from one snapshot. Text that is written during a search may or
// may not be found. A search uses about 14 MiB of memory if [Limits].FileBytes is 1 MiB. All
// searches of a [Service] together use at most 64 MiB; further searches wait. Errors:
// [ErrInvalid]; [ErrCorrupt] if the stored bytes of a matching text are not those that were
// written.
func (w *Workspace) Search(ctx context.Context, query string, o SearchOptions) (SearchResult, error) {
	view := func(ctx context.Context, fn func(store.Reader) error) error {
		return w.svc.store.View(ctx, w.owner, fn)
	}
	r, err := w.svc.search(ctx, w.svc.o.Paths, query, &o, func() (search.Pages, error) {
		return search.StorePages(view, o.Prefix, o.Kind, w.svc.history(&o)), nil
	})
	w.counted(err)
	return r, err
}

// search checks the arguments of a search, takes memory for it, and searches the pages.
func (s *Service) search(ctx context.Context, paths PathRule, query string, o *SearchOptions,
	pages func() (search.Pages, error)) (r SearchResult, err error) {
	if o.Prefix, err = paths.stored(store.ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return SearchResult{}, err
	}
	found, err := s.find(ctx, query, o, pages)
	if err != nil {
		return SearchResult{}, within("search", query, err)
	}
	return o.result(found, s.o.CountTokens), nil
}

func (s *Service) find(ctx context.Context, query string, o *SearchOptions, pages func() (search.Pages, error)) (
	search.Result, error) {
	run, err := o.parse(query)
	if err = cmp.Or(err, checkContext(ctx)); err != nil {
		return search.Result{}, err
	}
	memory, err := s.searches.Take(ctx, "", search.Weight(max(s.o.Limits.FileBytes, s.o.Limits.EntryBytes), o.History))
	if err != nil {
		return search.Result{}, err
	}
	defer memory.Leave()
	read, err := pages()
	if err != nil {
		return search.Result{}, err
	}
	return run(ctx, read)
}

// parse checks the query and the options, sets their defaults, and returns the search.
func (o *SearchOptions) parse(query string) (func(context.Context, search.Pages) (search.Result, error), error) {
	if err := o.check(query); err != nil {
		return nil, err
	}
	o.MaxTokens = cmp.Or(o.MaxTokens, searchTokens)
	window := search.Window{After: o.After, Limit: cmp.Or(o.Limit, searchHits)}
	compile := search.Exact
	switch {
	case o.Regexp:
		compile = search.Regexp
	case !o.Exact:
		q, cause := search.Parse(query)
		return func(ctx context.Context, pages search.Pages) (search.Result, error) {
			return search.Rank(ctx, q, window, pages)
		}, invalidQuery(cause)
	}
	p, cause := compile(query)
	return func(ctx context.Context, pages search.Pages) (search.Result, error) {
		return search.Find(ctx, p, window, pages)
	}, invalidQuery(cause)
}

// invalidQuery returns the error for what is wrong with a query, nil if nothing is.
func invalidQuery(cause string) error {
	switch cause {
	case "":
		return nil
	case search.NoWord:
		return or(Errorf(ErrInvalid, "%s", cause), store.DoSearchExact, 0)
	}
	return Errorf(ErrInvalid, "%s", cause)
}

// check refuses what is wrong with a query and its options.
func (o *SearchOptions) check(query string) error {
	switch n := utf8.RuneCountInString(query); {
	case o.Limit < 0 || o.Limit > maxSearchHits || o.Limit == 0 && slices.Contains(o.Zeros, store.ArgLimit):
		return Errorf(ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, o.Limit, maxSearchHits)
	case o.After < 0 || o.After > maxSearchAfter:
		return Errorf(ErrInvalid, "%s is %d, allowed are 0-1,000; narrow the search with %s", store.ArgAfter, o.After,
			store.ArgPrefix)
	case o.MaxTokens < -1:
		return Errorf(ErrInvalid, "%s is %d, the least is -1 (no bound)", store.ArgMaxTokens, o.MaxTokens)
	case o.Kind != "" && o.Kind != KindFile && o.Kind != KindLog:
		return Errorf(ErrInvalid, "the kind is %q, allowed are %q and %q", o.Kind, KindFile, KindLog)
	case o.Exact && o.Regexp:
		return Errorf(ErrInvalid, "exact and regexp exclude each other")
	case n == 0:
		return Errorf(ErrInvalid, "the query is empty; give a word to look for")
	case n > search.MaxQuery:
		return Errorf(ErrInvalid, "the query has %d characters, limit %d", n, search.MaxQuery)
	case !utf8.ValidString(query):
		return Errorf(ErrInvalid, "the query is not valid UTF-8")
	}
	return nil
}

// history returns what a search with the options needs to look at older versions; nil: it does not.
func (s *Service) history(o *SearchOptions) *search.History {
	if !o.History {
		return nil
	}
	return &search.History{Now: s.o.Now()}
}

// result returns the hits that fit o.MaxTokens.
func (o *SearchOptions) result(found search.Result, count fit.Counter) SearchResult {
	r := SearchResult{Hits: []SearchHit{}, Total: found.Total, Near: found.Near}
	hits, used, cut := search.Fit(found.Hits, o.MaxTokens, o.Under, count)
	for _, h := range hits {
		r.Hits = append(r.Hits, SearchHit(h))
	}
	if r.Tokens = used; cut {
		r.Cut = o.MaxTokens
	}
	r.More = r.Total > int64(o.After+len(r.Hits))
	return r
}

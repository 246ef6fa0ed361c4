package workspace

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Summarizer makes a short text of a file. Package summarize has some.
type Summarizer struct {
	Method string // how, for example "outline" or "anthropic"; every summary is marked with it
	Model  string // "" without a model
	Prompt string // the version of the rules or of the prompt; a new version makes new summaries
	Remote bool   // whether it calls a model, which costs somebody money

	// Summarize makes the text. It is called outside of transactions, and stops when
	// ctx ends.
	Summarize func(ctx context.Context, r SummaryRequest) (SummaryText, error)

	// Estimate returns about the tokens that Summarize would spend. They are reserved in the
	// agent's month before the call. nil: the tokens of the content.
	Estimate func(path, content string) int64
}

// check is for [New].
func (s *Summarizer) check() error {
	switch {
	case s == nil:
		return nil
	case s.Summarize == nil:
		return fail(ErrInvalid, "new", "service", "the Summarizer has no function")
	case s.Method == "":
		return fail(ErrInvalid, "new", "service", "the Summarizer has no method")
	}
	return nil
}

// key says how this Summarizer makes a summary of a version.
func (s *Summarizer) key(version int64) store.SummaryKey {
	return store.SummaryKey{Version: version, Method: s.Method, Model: s.Model, Prompt: s.Prompt}
}

// A SummaryRequest is what a [Summarizer] is given.
type SummaryRequest struct {
	Path    string
	Content string

	// Progress is to be called after each part of the work. It is never nil.
	Progress func(done, total int)
}

// SummaryText is what a [Summarizer] has made.
type SummaryText struct {
	Text  string
	Spent int64 // tokens that the model read and wrote, also beside an error
}

// SummarizeOptions of [Workspace.Summarize]. The zero value works.
type SummarizeOptions struct {
	// Progress is told how many parts of the work are done. It is called in the
	// goroutine of Summarize, and not after Summarize has returned. Parts that come
	// fast are told together. nil: nobody is told.
	Progress func(done, total int)
}

// SummaryResult is a summary of a file.
type SummaryResult struct {
	Path    string
	Version int64 // the version that was summarised
	Newer   int64 // the version that the file has got since; 0: none
	Cached  bool  // another call has made it: this one cost nothing
	Stored  bool  // it is kept for the next call
	Method  string
	Model   string // "" without a model
	Tokens  int64  // about what the text costs a model
	Text    string
}

// Summarize returns a summary of the current version of a file of more than 8,000
// characters, made by [Options.Summarizer]. Repeated requests are free, from any
// process. Requests at the same time share one call to the model in each process, and
// its failure. A failure that has used tokens is the answer to all requests for 30 s.
// The work goes on when its callers have left, because it is paid for, but no longer
// than ten minutes.
//
// A summary that cannot be kept, because of a quota or of trouble with the store, is
// returned without Stored. If the file has changed
// meanwhile, the summary is returned with Newer set. If the version was redacted meanwhile,
// or is not retained any more, or the file was deleted, nothing is kept or returned, and
// the error is [ErrNotFound].
//
// A panic of the Summarizer is raised in the goroutine of each caller who waits.
//
// Errors: [ErrNotFound]; [ErrInvalid] for a shorter file; [ErrUnsupported] without a
// Summarizer; [ErrQuota] if the month's tokens are spent; [ErrProvider], or the kind of
// the Summarizer's error.
func (w *Workspace) Summarize(ctx context.Context, path string, o SummarizeOptions) (SummaryResult, error) {
	const op = "summarize"
	p, err := w.start(ctx, path)
	if err != nil {
		return SummaryResult{}, within(op, path, err)
	}
	if w.svc.summarizer == nil {
		return SummaryResult{}, within(op, path, or(Errorf(ErrUnsupported, "summaries are off here"), DoReadFile, 0))
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	r, err := w.svc.summaries.Summarize(ctx, w.summaryWork(p), w.svc.summarizer.Remote, o.Progress)
	if err != nil {
		return SummaryResult{}, within(op, path, w.withNearest(ctx, p.name, w.counted(err)))
	}
	return SummaryResult{
		Path: p.name, Version: r.Version, Newer: r.Newer, Cached: r.Cached, Stored: r.Stored, Method: r.Method,
		Model: r.Model, Tokens: r.Tokens, Text: string(r.Content),
	}, w.counted(nil)
}

// summaryWork returns what makes the summary of a file.
func (w *Workspace) summaryWork(p Path) *summaries.Work {
	s := w.svc.summarizer
	return &summaries.Work{
		Store: w.svc.store, Owner: w.owner, Path: p.name, NoFile: errNoFile, Key: s.key, Cost: s.Estimate,
		Stamp: w.svc.stamp,
		Text: func(ctx context.Context, content string, progress func(done, total int)) (string, int64, error) {
			t, err := s.Summarize(ctx, SummaryRequest{Path: p.name, Content: content, Progress: progress})
			return t.Text, t.Spent, err
		},
		Room: func(ctx context.Context, now time.Time) (summaries.QuotaCheck, error) {
			bytes, err := w.svc.totalBytes(ctx)
			return func(tx store.Tx, before store.OwnerState, after *store.OwnerState) error {
				r := run{write: write{w: w, now: now}, storeBytes: bytes, tx: tx, after: *after}
				r.Owner = before
				err := r.account(nil)
				*after = r.Owner
				return err
			}, beforeStart(err)
		},
	}
}

package workspace

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Summarizer makes summaries of files. Package summarize has some Summarizers.
type Summarizer struct {
	Method string // name of the method, such as "outline" or "anthropic"; each summary keeps it; not ""
	Model  string // "" without a model
	Prompt string // the version of the rules or of the prompt; a new version makes new summaries
	Remote bool   // whether Summarize calls a model, which costs somebody money

	// Summarize makes the text of a summary. Summarize may take its time, because no
	// transaction waits for it. It must return when ctx ends, and must be safe for concurrent use.
	Summarize func(ctx context.Context, r SummaryRequest) (SummaryText, error)

	// Estimate returns about how many tokens Summarize would spend. If Remote is set, these
	// tokens are reserved in the agent's month before the call. nil: the tokens of the content.
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

// A SummaryRequest is the argument of Summarize of a [Summarizer].
type SummaryRequest struct {
	Path    string
	Content string

	// Progress reports how many parts of the work are done. Summarize calls Progress after each
	// part. Progress is never nil.
	Progress func(done, total int)
}

// SummaryText is the result of Summarize of a [Summarizer].
type SummaryText struct {
	Text  string
	Spent int64 // tokens that the model read and wrote; set also with an error
}

// SummarizeOptions of [Workspace.Summarize]. The zero value works.
type SummarizeOptions struct {
	// Progress is called with the number of parts of the work that are done, and the number
	// of all parts. Workspace.Summarize calls Progress in its own goroutine, and never after
	// it has returned. One call may report several parts. nil: no reports.
	Progress func(done, total int)
}

// SummaryResult is a summary of a file.
type SummaryResult struct {
	Path    string
	Version int64 // the version that was summarised
	Newer   int64 // the current version, if the file has changed meanwhile; 0: it has not
	Cached  bool  // another call has made the summary: this call cost nothing
	Stored  bool  // the store keeps the summary for later calls
	Method  string
	Model   string // "" without a model
	Tokens  int64  // about how many tokens Text costs a model
	Text    string
}

// Summarize returns a summary of the current version of a file of more than 8,000
// characters. [Options].Summarizer makes the summary. Repeated requests are free, from any
// process. In one process, requests at the same time share one call to the model, and its
// failure. A call to a model goes on if its callers have left, because its tokens cost
// money. It ends after at most ten minutes.
//
// If the workspace looks for secrets, the summary has "[redacted: KIND]" in the place of each.
//
// If the summary cannot be stored, because of a quota or trouble with the store, Summarize
// returns the summary without Stored. If the file has changed meanwhile, Summarize returns the
// summary with Newer set. If the version was redacted meanwhile or is not retained any more,
// or if the file was deleted, the error is [ErrNotFound], and the summary is not stored.
//
// If the Summarizer panics, the panic is raised in the goroutine of each caller who waits.
//
// Errors: [ErrNotFound]; [ErrInvalid] for a file of at most 8,000 characters;
// [ErrUnsupported] without a Summarizer; [ErrQuota] if the month's tokens are spent; the kind
// of the Summarizer's error, or [ErrProvider] if that error has no kind.
func (w *Workspace) Summarize(ctx context.Context, path string, o SummarizeOptions) (SummaryResult, error) {
	const op = "summarize"
	p, err := w.start(ctx, path)
	if err != nil {
		return SummaryResult{}, within(op, path, err)
	}
	if w.svc.o.Summarizer == nil {
		return SummaryResult{}, within(op, path, or(Errorf(ErrUnsupported, "summaries are off here"),
			store.DoReadFile, 0))
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	r, err := w.svc.summaries.Summarize(ctx, w.summaryWork(p), w.svc.o.Summarizer.Remote, o.Progress)
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
	s := w.svc.o.Summarizer
	return &summaries.Work{
		Store: w.svc.store, Owner: w.owner, Path: p.name, NoFile: errNoFile, Key: s.key, Cost: s.Estimate,
		Stamp: w.svc.stamp,
		Text: func(ctx context.Context, content string, progress func(done, total int)) (string, int64, error) {
			t, err := s.Summarize(ctx, SummaryRequest{Path: p.name, Content: content, Progress: progress})
			text := []byte(t.Text)
			return string(secrets.Redact(text, w.findSecrets(text))), t.Spent, err
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

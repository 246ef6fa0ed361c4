package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// leastSummarised is the characters above which a file is worth a summary: a
// shorter one costs little more to read.
const leastSummarised = 8000

// A Summarizer makes a short text of a file. Package summarize has some.
type Summarizer struct {
	Method string // outline, anthropic, openai: what the answer is marked with
	Model  string // "" without one
	Prompt string // the version of the rules or the prompt: another one makes another summary
	Remote bool   // it calls a model, which costs somebody money

	// Summarize makes the text. It is called without a transaction, and stops when
	// ctx ends.
	Summarize func(ctx context.Context, r SummaryRequest) (SummaryText, error)
}

// A SummaryRequest is what a [Summarizer] is given.
type SummaryRequest struct {
	Path     string
	Content  string
	Progress func(done, total int)       // parts of the work; never nil
	Extend   func(context.Context) error // between two calls of a model: an error says to stop
}

// SummaryText is what a [Summarizer] has made.
type SummaryText struct {
	Text  string
	Spent int64 // tokens that the model read and wrote
}

// SummarizeOptions of [Workspace.Summarize]. The zero value works.
type SummarizeOptions struct {
	Progress func(done, total int) // parts of the work, from the goroutine that does it; nil: none
}

// SummaryResult is a summary of a file.
type SummaryResult struct {
	Path    string
	Version int64 // of which it was made
	Newer   int64 // the version that the file has got since; 0: none
	Cached  bool  // it was there already, and cost nothing
	Stored  bool  // it is kept for the next call
	Method  string
	Model   string // "" without one
	Tokens  int64  // about what the text costs a model
	Text    string
}

// Summarize returns a summary of the current version of a file of more than 8,000
// characters, made by [Options.Summarizer]. One that was made before, by any
// process, costs nothing. Of many callers at once, in any process, one asks the
// model; the others wait for its answer. A summary that cannot be kept, because
// of a quota or of trouble with the store, is answered all the same.
//
// Errors: [ErrNotFound]; [ErrInvalid] for a shorter file; [ErrUnsupported] without
// a Summarizer; [ErrQuota] where the month's tokens are spent; [ErrProvider].
func (w *Workspace) Summarize(ctx context.Context, path string, o SummarizeOptions) (SummaryResult, error) {
	const op = "summarize"
	p, err := start(ctx, op, path)
	if err != nil {
		return SummaryResult{}, err
	}
	s := w.svc.summarizer
	if s == nil {
		return SummaryResult{}, fail(ErrUnsupported, op, path, "summaries are off here; use read_file, with from_line and to_line for a part")
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	v, kept, err := w.findSummary(ctx, p, s)
	if err != nil {
		return SummaryResult{}, within(op, path, err)
	}
	if kept != nil {
		return s.result(path, *kept, true, true), nil
	}
	if n := utf8.RuneCount(v.Content); n <= leastSummarised {
		return SummaryResult{}, fail(ErrInvalid, op, path, "it has %d characters, and files of up to %d are not summarised; use read_file", n, leastSummarised)
	}
	job := summaryJob{w: w, path: p, version: v, summarizer: s, progress: o.Progress}
	if !s.Remote {
		made, err := job.make(ctx, func(context.Context) error { return nil })
		if err != nil {
			return SummaryResult{}, within(op, path, err)
		}
		r, err := job.keep(ctx, made)
		return r, within(op, path, err)
	}
	r, err := job.share(ctx)
	return r, within(op, path, err)
}

// findSummary returns the current version, and the summary that is kept of it.
func (w *Workspace) findSummary(ctx context.Context, p Path, s *Summarizer) (v Version, kept *Summary, err error) {
	err = w.svc.store.View(ctx, w.owner, func(tx Reader) error {
		kept = nil
		var head FileHead
		var err error
		if head, v, err = tx.Current(p.name); err != nil {
			return err
		}
		if !head.Exists() {
			return fmt.Errorf("there is no such file: %w", ErrNotFound)
		}
		if head.Summary == 0 {
			return nil
		}
		switch found, err := tx.Summary(p.name, s.key(v.Number)); {
		case err == nil:
			kept = &found
		case !errors.Is(err, ErrNotFound):
			return err
		}
		return nil
	})
	if err == nil && sha256.Sum256(v.Content) != v.SHA256 {
		err = fmt.Errorf("version %d: its bytes do not match their SHA-256: %w", v.Number, ErrCorrupt)
	}
	if err == nil && kept != nil && sha256.Sum256(kept.Content) != kept.SHA256 {
		kept = nil // it is made again
	}
	return v, kept, w.counted(err)
}

func (s *Summarizer) key(version int64) SummaryKey {
	return SummaryKey{Version: version, Method: s.Method, Model: s.Model, Prompt: s.Prompt}
}

func (s *Summarizer) result(path string, kept Summary, cached, stored bool) SummaryResult {
	return SummaryResult{
		Path: path, Version: kept.Version, Cached: cached, Stored: stored, Method: s.Method, Model: s.Model,
		Tokens: kept.Tokens, Text: string(kept.Content),
	}
}

// A summaryJob is the making of one summary.
type summaryJob struct {
	w          *Workspace
	path       Path
	version    Version
	summarizer *Summarizer
	progress   func(done, total int)
}

// make calls the summarizer.
func (j summaryJob) make(ctx context.Context, extend func(context.Context) error) (Summary, error) {
	made, err := j.summarizer.Summarize(ctx, SummaryRequest{
		Path: j.path.name, Content: string(j.version.Content), Progress: j.progress, Extend: extend,
	})
	if made.Spent > 0 {
		// A text that is paid is not thrown away because it could not be counted.
		j.w.svc.spend(context.WithoutCancel(ctx), j.w.owner, made.Spent)
	}
	if err != nil {
		return Summary{}, err
	}
	text := strings.ToValidUTF8(made.Text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return Summary{}, fmt.Errorf("the summary is empty: %w", ErrProvider)
	}
	return Summary{
		SummaryKey: j.summarizer.key(j.version.Number), SHA256: sha256.Sum256([]byte(text)),
		Tokens: int64(tokens.Estimate(text)), Time: j.w.svc.stamp(j.version.Time), Content: []byte(text),
	}, nil
}

// keep stores a summary, if the file is still what it was made of. Where it
// cannot be stored it is the caller's all the same.
func (j summaryJob) keep(ctx context.Context, made Summary) (SummaryResult, error) {
	var head FileHead
	a, err := j.w.newAttempt("summarize", j.path.name, "")
	if err != nil {
		return SummaryResult{}, err
	}
	stored := false
	_, err = j.w.commit(ctx, a, func(tx Tx) (Outcome, error) {
		stored = false
		var state OwnerState
		var err error
		if head, state, err = tx.File(j.path.name); err != nil {
			return Outcome{}, err
		}
		if !head.Exists() || head.Version != made.Version {
			return Outcome{}, nil
		}
		before := state
		size := int64(len(made.Content))
		switch old, err := tx.Summary(j.path.name, made.SummaryKey); {
		case err == nil:
			size -= int64(len(old.Content))
		case !errors.Is(err, ErrNotFound):
			return Outcome{}, err
		}
		head.Summary += size
		state.Bytes += size
		if err := j.w.settle(tx, a, before, &state, Outcome{}); err != nil {
			return Outcome{}, err
		}
		stored = true
		return Outcome{}, tx.SaveSummary(SummaryChange{Head: head, New: made, Owner: state})
	})
	r := j.summarizer.result(j.path.name, made, false, err == nil && stored)
	switch {
	case err != nil:
		return r, nil // it was made, perhaps paid: the text is worth more than its cache
	case !head.Exists():
		return SummaryResult{}, fmt.Errorf("it was deleted meanwhile: %w", ErrNotFound)
	case head.Version != made.Version:
		r.Newer = head.Version
	}
	return r, nil
}

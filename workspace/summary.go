package workspace

import (
	"cmp"
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

	// Due estimates the tokens that Summarize would spend, which are set aside of the
	// month's; nil: those of the content.
	Due func(path, content string) int64
}

// A SummaryRequest is what a [Summarizer] is given.
type SummaryRequest struct {
	Path     string
	Content  string
	Progress func(done, total int)       // parts of the work; never nil
	Extend   func(context.Context) error // between two calls of a model: an error says to stop, for another makes it now; never nil
}

// SummaryText is what a [Summarizer] has made.
type SummaryText struct {
	Text  string
	Spent int64 // tokens that the model read and wrote
}

// SummarizeOptions of [Workspace.Summarize]. The zero value works.
type SummarizeOptions struct {
	// Progress is told of the parts of the work, in the goroutine of the call and
	// never after it; parts that come fast are told of together. nil: none.
	Progress func(done, total int)
}

// SummaryResult is a summary of a file.
type SummaryResult struct {
	Path    string
	Version int64 // of which it was made
	Newer   int64 // the version that the file has got since; 0: none
	Cached  bool  // another call has made it: this one cost nothing
	Stored  bool  // it is kept for the next call
	Method  string
	Model   string // "" without one
	Tokens  int64  // about what the text costs a model
	Text    string
}

// Summarize returns a summary of the current version of a file of more than 8,000
// characters, made by [Options.Summarizer]. One that was made before, by any
// process, costs nothing. Of many callers at once, in any process, one asks the
// model; the others wait for its answer, or for its failure. A failure that has cost
// something is the answer to all for 30 s. The work goes on when its callers have
// left, because it is paid, for ten minutes at most.
//
// A summary that cannot be kept, because of a quota or of trouble with the store,
// is answered all the same, to the callers in this process. One of a version that
// is not current any more is answered too, see Newer; of a file that was deleted
// meanwhile nothing is.
//
// A panic of the Summarizer is raised in the goroutine of each caller who waits.
// Errors: [ErrNotFound]; [ErrInvalid] for a shorter file; [ErrUnsupported] without
// a Summarizer; [ErrQuota] where the month's tokens are spent; [ErrProvider], or
// another kind that the Summarizer has given its error.
func (w *Workspace) Summarize(ctx context.Context, path string, o SummarizeOptions) (SummaryResult, error) {
	const op = "summarize"
	p, err := start(ctx, op, path)
	if err != nil {
		return SummaryResult{}, err
	}
	if w.svc.summarizer == nil {
		return SummaryResult{}, fail(ErrUnsupported, op, path, "summaries are off here; use read_file, with from_line and to_line for a part")
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	for {
		r, err := w.summarize(ctx, p, o)
		if err != errRewritten {
			return r, within(op, path, w.withNearest(ctx, p, w.counted(err)))
		}
	}
}

// errRewritten is for those who wait for a summary of what is not current any
// more: nothing was paid, and they begin again.
var errRewritten = errors.New("rewritten")

func (w *Workspace) summarize(ctx context.Context, p Path, o SummarizeOptions) (SummaryResult, error) {
	job := summaryJob{w: w, path: p, summarizer: w.svc.summarizer}
	kept, err := job.read(ctx)
	switch {
	case err != nil:
		return SummaryResult{}, err
	case kept != nil:
		return job.result(*kept), nil
	case job.summarizer.Remote:
		return job.share(ctx, o.Progress)
	}
	made, spent, err := job.make(ctx, o.Progress, func(ctx context.Context) error { return ctx.Err() })
	if spent > 0 {
		job.settle(ctx, spendKey(w.owner, w.svc.now()), spent)
	}
	if err != nil {
		return SummaryResult{}, cmp.Or(ctx.Err(), err)
	}
	return job.keep(ctx, made)
}

// find returns the current version of a file and the summary that is kept of it;
// nil: none. One that is damaged is as none: it is made again.
func (s *Summarizer) find(tx Reader, path string) (version int64, kept *Summary, err error) {
	head, _, err := tx.File(path)
	if err != nil {
		return 0, nil, err
	}
	if !head.Exists() {
		return 0, nil, errNoFile
	}
	if head.Summary == 0 {
		return head.Version, nil, nil
	}
	found, err := tx.Summary(path, s.key(head.Version))
	switch {
	case err == nil && sha256.Sum256(found.Content) == found.SHA256:
		return head.Version, &found, nil
	case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrCorrupt):
		return head.Version, nil, nil
	}
	return 0, nil, err
}

func (s *Summarizer) key(version int64) SummaryKey {
	return SummaryKey{Version: version, Method: s.Method, Model: s.Model, Prompt: s.Prompt}
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

// A summaryJob is the making of one summary.
type summaryJob struct {
	w          *Workspace
	path       Path
	version    Version
	summarizer *Summarizer
}

// read sets the version that there is to summarise, or returns what is kept of it.
func (j *summaryJob) read(ctx context.Context) (kept *Summary, err error) {
	err = j.w.svc.store.View(ctx, j.w.owner, func(tx Reader) (err error) {
		if _, kept, err = j.summarizer.find(tx, j.path.name); err == nil && kept == nil {
			_, j.version, err = tx.Current(j.path.name)
		}
		return err
	})
	switch {
	case err != nil || kept != nil:
		return kept, err
	case sha256.Sum256(j.version.Content) != j.version.SHA256:
		return nil, fmt.Errorf("version %d: its bytes do not match their SHA-256: %w", j.version.Number, ErrCorrupt)
	}
	if n := utf8.RuneCount(j.version.Content); n <= leastSummarised {
		return nil, fmt.Errorf("it has %d characters, and files of up to %d are not summarised; use read_file: %w", n, leastSummarised, ErrInvalid)
	}
	return nil, nil
}

// look returns what has been kept since, or errRewritten.
func (j summaryJob) look(ctx context.Context) (kept *Summary, err error) {
	var version int64
	err = j.w.svc.store.View(ctx, j.w.owner, func(tx Reader) (err error) {
		version, kept, err = j.summarizer.find(tx, j.path.name)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case version != j.version.Number:
		return nil, errRewritten
	}
	return kept, nil
}

// result is that of a summary which is kept.
func (j summaryJob) result(s Summary) SummaryResult {
	return SummaryResult{
		Path: j.path.name, Version: s.Version, Cached: true, Stored: true, Method: s.Method, Model: s.Model,
		Tokens: s.Tokens, Text: string(s.Content),
	}
}

// make calls the summarizer.
func (j summaryJob) make(ctx context.Context, progress func(done, total int), extend func(context.Context) error) (made Summary, spent int64, err error) {
	t, err := j.summarizer.Summarize(ctx, SummaryRequest{
		Path: j.path.name, Content: string(j.version.Content), Progress: progress, Extend: extend,
	})
	text := strings.ToValidUTF8(t.Text, "\uFFFD")
	switch {
	case err != nil && Kind(err) == nil: // that of a context is hidden: it is not the caller's
		err = fmt.Errorf("%v: %w", err, ErrProvider)
	case err == nil && strings.TrimSpace(text) == "":
		err = fmt.Errorf("the summary is empty: %w", ErrProvider)
	}
	if err != nil {
		return Summary{}, t.Spent, err
	}
	return Summary{
		SummaryKey: j.summarizer.key(j.version.Number), SHA256: sha256.Sum256([]byte(text)),
		Tokens: int64(tokens.Estimate(text)), Time: j.w.svc.stamp(j.version.Time), Content: []byte(text),
	}, t.Spent, nil
}

// keep stores a summary, if the file is still what it was made of. Where it
// cannot be stored it is the caller's all the same: the text is worth more than
// its cache. That is no operation of its own: the call is counted as a read.
func (j summaryJob) keep(ctx context.Context, made Summary) (SummaryResult, error) {
	var head FileHead
	a := &attempt{now: made.Time}
	stored := false
	if j.w.svc.weigh(ctx, a) != nil {
		r := j.result(made)
		r.Cached, r.Stored = false, false
		return r, nil
	}
	err := j.w.svc.store.Update(ctx, j.w.owner, func(tx Tx) (err error) {
		stored = false
		var before OwnerState
		if head, before, err = tx.File(j.path.name); err != nil || !head.Exists() || head.Version != made.Version {
			return err
		}
		state := before
		there, err := j.replace(tx, &head, &state, made)
		if err != nil {
			return err
		}
		if there != nil {
			made, stored = *there, true
			return nil
		}
		if err := j.w.settle(tx, a, before, &state, Outcome{}); err != nil {
			return err
		}
		stored = true
		return tx.SaveSummary(SummaryChange{Head: head, New: made, Owner: state})
	})
	r := j.result(made)
	r.Cached, r.Stored = false, err == nil && stored
	switch {
	case err != nil:
		return r, nil
	case !head.Exists():
		return SummaryResult{}, fmt.Errorf("it was deleted meanwhile: %w", ErrNotFound)
	case head.Version != made.Version:
		r.Newer = head.Version
	}
	return r, nil
}

// replace counts a summary, or returns the one that another call has kept under
// its key. Of a damaged one the size is not known: all of the file go with it.
func (j summaryJob) replace(tx Tx, head *FileHead, state *OwnerState, made Summary) (there *Summary, err error) {
	found, err := tx.Summary(j.path.name, made.SummaryKey)
	switch {
	case err == nil && sha256.Sum256(found.Content) == found.SHA256:
		return &found, nil
	case err == nil, errors.Is(err, ErrCorrupt):
		state.Bytes -= head.Summary
		head.Summary = 0
		if err := tx.SaveFile(FileChange{Head: *head, Forget: true, Owner: *state}); err != nil {
			return nil, err
		}
	case !errors.Is(err, ErrNotFound):
		return nil, err
	}
	head.Summary += int64(len(made.Content))
	state.Bytes += int64(len(made.Content))
	return nil, nil
}

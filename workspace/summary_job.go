package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
)

// leastSummarised is how many characters a file may have without being worth a
// summary: reading it costs little more.
const leastSummarised = 8000

// isLong reports whether a text is worth a summary.
func isLong(content []byte) bool {
	return len(content) > leastSummarised && utf8.RuneCount(content) > leastSummarised
}

// errRewritten says that the file has another version than the one to summarise.
var errRewritten = errors.New("rewritten")

// A summaryJob makes one summary. Its exported methods are those of summaries.Job.
type summaryJob struct {
	w          *Workspace
	path       Path
	summarizer *Summarizer
	version    Version // the one to summarise; set by read
	made       Summary // set by Make
}

// read sets the version to summarise, or returns the summary that is kept of it.
func (j *summaryJob) read(ctx context.Context) (kept *Summary, err error) {
	err = j.w.svc.store.View(ctx, j.w.owner, func(tx Reader) (err error) {
		if _, kept, err = j.find(tx); err == nil && kept == nil {
			_, j.version, err = tx.Current(j.path.name)
		}
		return err
	})
	if err != nil || kept != nil {
		return kept, err
	}
	if err := verify.Version(j.version); err != nil {
		return nil, err
	}
	if !isLong(j.version.Content) {
		return nil, or(Errorf(ErrInvalid, "it has %d characters, and files of up to %d are not summarised", utf8.RuneCount(j.version.Content), leastSummarised), DoReadFile, 0)
	}
	return nil, nil
}

// find returns the number of the current version and the summary that is kept of it;
// nil: none. A damaged one counts as none, so that it is made again.
func (j *summaryJob) find(tx Reader) (version int64, kept *Summary, err error) {
	head, _, err := tx.File(j.path.name)
	if err != nil {
		return 0, nil, err
	}
	if !head.Exists() {
		return 0, nil, errNoFile
	}
	if head.Summary == 0 {
		return head.Version, nil, nil
	}
	found, err := tx.Summary(j.path.name, j.summarizer.key(head.Version))
	switch {
	case err == nil && verify.IsIntact(found):
		return head.Version, &found, nil
	case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrCorrupt):
		return head.Version, nil, nil
	}
	return 0, nil, err
}

// id names the summary for all processes.
func (j *summaryJob) id() string {
	text, err := json.Marshal([]any{j.w.owner.Tenant, j.w.owner.Agent, j.path.name, j.summarizer.key(j.version.Number)})
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// result is the result of a summary that is kept.
func (j *summaryJob) result(s Summary) SummaryResult {
	return SummaryResult{
		Path: j.path.name, Version: s.Version, Cached: true, Stored: true, Method: s.Method, Model: s.Model,
		Tokens: s.Tokens, Text: string(s.Content),
	}
}

// Find returns the summary if it has been kept since read. The error is errRewritten
// if the file has got another version.
func (j *summaryJob) Find(ctx context.Context) (r SummaryResult, found bool, err error) {
	var version int64
	var kept *Summary
	err = j.w.svc.store.View(ctx, j.w.owner, func(tx Reader) (err error) {
		version, kept, err = j.find(tx)
		return err
	})
	switch {
	case err != nil:
		return r, false, err
	case version != j.version.Number:
		return r, false, errRewritten
	case kept == nil:
		return r, false, nil
	}
	return j.result(*kept), true, nil
}

// Estimate returns about the tokens that the summary will cost.
func (j *summaryJob) Estimate() int64 {
	if j.summarizer.Estimate != nil {
		return j.summarizer.Estimate(j.path.name, string(j.version.Content))
	}
	return int64(tokens.EstimateBytes(j.version.Content))
}

// Make calls the Summarizer. An error without a kind becomes [ErrProvider]; if it is
// that of a context, it is hidden, because the context is not the caller's.
func (j *summaryJob) Make(ctx context.Context, progress func(done, total int), extend func(context.Context) error) (spent int64, err error) {
	t, err := j.summarizer.Summarize(ctx, SummaryRequest{
		Path: j.path.name, Content: string(j.version.Content), Progress: progress,
		Extend: func(ctx context.Context) error { return summaryError(extend(ctx)) },
	})
	text := strings.ToValidUTF8(t.Text, "\uFFFD")
	switch {
	case err != nil && Kind(err) == nil:
		err = Errorf(ErrProvider, "%v", err)
	case err == nil && strings.TrimSpace(text) == "":
		err = Errorf(ErrProvider, "the summary is empty")
	}
	if err != nil {
		return t.Spent, err
	}
	j.made = Summary{
		SummaryKey: j.summarizer.key(j.version.Number), SHA256: sha256.Sum256([]byte(text)),
		Tokens: int64(tokens.Estimate(text)), Time: j.w.svc.stamp(j.version.Time), Content: []byte(text),
	}
	return t.Spent, nil
}

// Keep stores the summary, if the file still has the version that was summarised. If
// it cannot be stored, it is returned all the same, because it has cost something. To
// store it is no operation of its own: the call counts as a read.
func (j *summaryJob) Keep(ctx context.Context) (SummaryResult, error) {
	made := j.made
	var head FileHead
	a := &attempt{now: made.Time}
	stored := false
	if j.w.svc.readTotal(ctx, a) != nil {
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
		there, err := j.replace(tx, &head, &state)
		if err != nil {
			return err
		}
		if there != nil {
			made, stored = *there, true
			return nil
		}
		if err := j.w.settle(tx, a, before, &state, Outcome{}, nil); err != nil {
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
		return SummaryResult{}, Errorf(ErrNotFound, "it was deleted meanwhile")
	case head.Version != made.Version:
		r.Newer = head.Version
	}
	return r, nil
}

// replace counts the bytes of the summary in the file's head and the owner's state. If
// another call has kept one under the same key, it returns that. The size of a damaged
// one is not known, so all summaries of the file go with it.
func (j *summaryJob) replace(tx Tx, head *FileHead, state *OwnerState) (there *Summary, err error) {
	found, err := tx.Summary(j.path.name, j.made.SummaryKey)
	switch {
	case err == nil && verify.IsIntact(found):
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
	head.Summary += int64(len(j.made.Content))
	state.Bytes += int64(len(j.made.Content))
	return nil, nil
}

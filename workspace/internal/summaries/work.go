package summaries

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// leastSummarised is how many characters a file may have without being worth a
// summary: reading it costs little more.
const leastSummarised = 8000

// IsLong reports whether a text is worth a summary.
func IsLong(content []byte) bool {
	return len(content) > leastSummarised && utf8.RuneCount(content) > leastSummarised
}

// A Work makes the summary of one file. Its methods are called outside of transactions, by
// one goroutine at a time. All fields but Cost are required.
type Work struct {
	Store  store.Store
	Owner  store.Owner
	Path   string
	NoFile error                                // what is returned if there is no file
	Key    func(version int64) store.SummaryKey // how summaries are made
	Cost   func(path, content string) int64     // about the tokens that Text spends; nil: those of the content

	// Text returns the summary, and how many tokens it spent.
	Text func(ctx context.Context, content string, progress func(done, total int)) (string, int64, error)

	Stamp func(last time.Time) time.Time                               // the time of a summary
	Room  func(ctx context.Context, now time.Time) (QuotaCheck, error) // called before the transaction of keep

	version store.Version // the one to summarise; set by read
	made    store.Summary // set by make
}

// A QuotaCheck checks the quotas of a change that takes an owner from one state to another.
type QuotaCheck func(tx store.Tx, before store.OwnerState, after *store.OwnerState) error

// A Result is a summary of a file, and where it comes from.
type Result struct {
	store.Summary
	Newer  int64 // the version that the file has got since; 0: none
	Cached bool  // another call has made it
	Stored bool  // it is kept
}

// read returns the summary that is kept of the current version. If there is none, it sets
// the version to summarise.
func (w *Work) read(ctx context.Context) (kept *store.Summary, err error) {
	key := w.Key(0)
	err = w.Store.View(ctx, w.Owner, func(tx store.Reader) error {
		l, err := tx.Load(store.Query{File: w.Path, Summary: &key})
		if kept = l.Summary; err == nil && !l.File.Exists() {
			err = w.NoFile
		}
		if err == nil && kept == nil {
			l, err = tx.Load(store.Query{File: w.Path, Current: true})
			w.version = l.Version
		}
		return err
	})
	if err == nil && kept != nil && !kept.IsIntact() {
		err = fault.Or(store.Errorf(store.ErrCorrupt, "its summary is not what was written; the next write removes it"),
			store.DoReadFile, 0)
	}
	if err != nil || kept != nil {
		return kept, err
	}
	if err := w.version.Verify(); err != nil {
		return nil, err
	}
	if !IsLong(w.version.Content) {
		return nil, fault.Or(store.Errorf(store.ErrInvalid,
			"it has %d characters, and files of up to %d are not summarised", utf8.RuneCount(w.version.Content),
			leastSummarised), store.DoReadFile, 0)
	}
	return nil, nil
}

// id names the summary.
func (w *Work) id() string {
	return fmt.Sprintf("%q", []any{w.Owner, w.Path, w.Key(w.version.Number)})
}

// kept is the result of a summary that is kept.
func kept(s store.Summary) Result { return Result{Summary: s, Cached: true, Stored: true} }

// estimate returns about the tokens that the summary will cost.
func (w *Work) estimate() int64 {
	if w.Cost != nil {
		return w.Cost(w.Path, string(w.version.Content))
	}
	return int64(tokens.EstimateBytes(w.version.Content))
}

// make calls Text, and returns the tokens that it has spent, also with an error. An error
// without a kind becomes [store.ErrProvider]; if it is that of a context, it is hidden,
// because the context is not the caller's. If the version is redacted or gone, the error says
// so.
func (w *Work) make(ctx context.Context, progress func(done, total int)) (spent int64, err error) {
	text, spent, err := w.Text(ctx, string(w.version.Content), progress)
	text = strings.ToValidUTF8(text, "\uFFFD")
	switch {
	case err != nil && store.Kind(err) == nil:
		err = store.Errorf(store.ErrProvider, "%v", err)
	case err == nil && strings.TrimSpace(text) == "":
		err = store.Errorf(store.ErrProvider, "the summary is empty")
	}
	if err != nil {
		if _, gone := w.lookAgain(ctx); errors.Is(gone, store.ErrNotFound) {
			err = gone // the error of a model may quote the file
		}
		return spent, err
	}
	w.made = store.Summary{
		SummaryKey: w.Key(w.version.Number), SHA256: sha256.Sum256([]byte(text)),
		Tokens: int64(tokens.Estimate(text)), Time: w.Stamp(w.version.Time), Content: []byte(text),
	}
	return spent, nil
}

// keep looks at the file again, because the work took time: a summary of a version that was
// redacted meanwhile, or is not retained any more, would give its content back. keep stores
// the summary if the version is still the current one. If it cannot be stored, it is
// returned all the same, because it has cost something. To store it is no operation of its
// own: the call counts as a read.
func (w *Work) keep(ctx context.Context) (Result, error) {
	made, head, stored, err := w.store(ctx)
	if err != nil {
		if head, err = w.lookAgain(ctx); err != nil {
			return Result{}, err
		}
	}
	r := Result{Summary: made, Stored: stored}
	if head.Version != made.Version {
		r.Newer = head.Version
	}
	return r, nil
}

// lookAgain is look in a transaction of its own.
func (w *Work) lookAgain(ctx context.Context) (head store.FileHead, err error) {
	err = w.Store.View(ctx, w.Owner, func(tx store.Reader) (err error) {
		l, err := w.look(tx, nil)
		head = l.File
		return err
	})
	return head, err
}

// look loads the file, and the summary that is kept under a key; nil: none. It returns an
// error if the version that was summarised cannot be read any more.
func (w *Work) look(tx store.Reader, key *store.SummaryKey) (l store.Loaded, err error) {
	l, err = tx.Load(store.Query{File: w.Path, Version: w.version.Number, Summary: key})
	switch {
	case err != nil:
	case !l.File.Exists():
		err = store.Errorf(store.ErrNotFound, "it was deleted meanwhile")
	default:
		if err = fault.Readable(l.File, l.Version, w.version.Number); err == nil &&
			l.Version.SHA256 != w.version.SHA256 {
			err = store.Errorf(store.ErrNotFound, "it was deleted and restored meanwhile")
		}
		if e, ok := err.(*store.Error); ok {
			e.Way = store.Way{Do: store.DoRetry} // with the current version
		}
	}
	return l, err
}

// store stores the summary if the file still has the version that was summarised. If
// another call has stored one, it returns that.
func (w *Work) store(ctx context.Context) (made store.Summary, head store.FileHead, stored bool, err error) {
	check, err := w.Room(ctx, w.made.Time)
	if err != nil {
		return w.made, head, false, err
	}
	err = w.Store.Update(ctx, w.Owner, func(tx store.Tx) (err error) {
		made, stored = w.made, false
		l, err := w.look(tx, &w.made.SummaryKey)
		if head = l.File; err != nil || head.Version != made.Version {
			return err
		}
		if l.Summary != nil {
			made, stored = *l.Summary, true
			return nil
		}
		state := l.Owner
		head.Summary += int64(len(made.Content))
		state.Bytes += int64(len(made.Content))
		if err := check(tx, l.Owner, &state); err != nil {
			return err
		}
		stored = true
		return tx.Apply(store.SummaryChange{Head: head, New: made, Owner: state})
	})
	if err != nil {
		return w.made, head, false, err
	}
	return made, head, stored, nil
}

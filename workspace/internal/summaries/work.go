package summaries

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// leastSummarised is how many characters a file may have without being worth a
// summary: reading it costs little more.
const leastSummarised = 8000

// IsLong reports whether a text is worth a summary.
func IsLong(content []byte) bool {
	return len(content) > leastSummarised && utf8.RuneCount(content) > leastSummarised
}

// ErrRewritten says that the file has another version than the one to summarise.
var ErrRewritten = errors.New("rewritten")

// A Work makes the summary of one file. It is a [Job]. All fields but Cost are required.
type Work struct {
	Store  store.Store
	Owner  store.Owner
	Path   string
	NoFile error                                // what Read returns if there is no file
	Key    func(version int64) store.SummaryKey // how summaries are made
	Cost   func(path, content string) int64     // about the tokens that Text spends; nil: those of the content

	// Text returns the summary, and how many tokens it spent.
	Text func(ctx context.Context, content string, progress func(done, total int)) (string, int64, error)

	Stamp func(last time.Time) time.Time                               // the time of a summary
	Room  func(ctx context.Context, now time.Time) (Settlement, error) // called before the transaction of Keep

	version store.Version // the one to summarise; set by Read
	made    store.Summary // set by Make
}

// A Settlement checks the quotas of a change that takes an owner from one state to another.
type Settlement func(tx store.Tx, before store.OwnerState, after *store.OwnerState) error

// A Result is a summary of a file, and where it comes from.
type Result struct {
	Path    string
	Version int64
	Newer   int64
	Cached  bool
	Stored  bool
	Method  string
	Model   string
	Tokens  int64
	Text    string
}

// Read sets the version to summarise, or returns the summary that is kept of it.
func (w *Work) Read(ctx context.Context) (kept *store.Summary, err error) {
	err = w.Store.View(ctx, w.Owner, func(tx store.Reader) (err error) {
		_, kept, err = w.find(tx)
		if err == nil && kept == nil {
			var l store.Loaded
			l, err = tx.Load(store.Query{File: w.Path, Current: true})
			w.version = l.Version
		}
		return err
	})
	if err != nil || kept != nil {
		return kept, err
	}
	if err := verify.Version(w.version); err != nil {
		return nil, err
	}
	if !IsLong(w.version.Content) {
		return nil, fault.Or(store.Errorf(store.ErrInvalid,
			"it has %d characters, and files of up to %d are not summarised", utf8.RuneCount(w.version.Content),
			leastSummarised), store.DoReadFile, 0)
	}
	return nil, nil
}

// find returns the number of the current version and the summary that is kept of it;
// nil: none. A damaged one counts as none, so that it is made again.
func (w *Work) find(tx store.Reader) (version int64, kept *store.Summary, err error) {
	key := w.Key(0)
	l, _, err := w.load(tx, store.Query{Summary: &key})
	if err == nil && !l.File.Exists() {
		err = w.NoFile
	}
	return l.File.Version, l.Summary, err
}

// load loads the file. A damaged summary is left out.
func (w *Work) load(tx store.Reader, q store.Query) (l store.Loaded, damaged bool, err error) {
	q.File = w.Path
	if l, err = tx.Load(q); q.Summary != nil && errors.Is(err, store.ErrCorrupt) {
		damaged, q.Summary = true, nil
		l, err = tx.Load(q)
	}
	if l.Summary != nil && !verify.IsIntact(*l.Summary) {
		damaged, l.Summary = true, nil
	}
	return l, damaged, err
}

// ID names the summary.
func (w *Work) ID() string {
	text, err := json.Marshal([]any{w.Owner.Tenant, w.Owner.Agent, w.Path, w.Key(w.version.Number)})
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// Kept is the result of a summary that is kept.
func (w *Work) Kept(s store.Summary) Result {
	return Result{
		Path: w.Path, Version: s.Version, Cached: true, Stored: true, Method: s.Method, Model: s.Model,
		Tokens: s.Tokens, Text: string(s.Content),
	}
}

// Find returns the summary if it has been kept since Read. The error is ErrRewritten
// if the file has got another version.
func (w *Work) Find(ctx context.Context) (r Result, found bool, err error) {
	var version int64
	var kept *store.Summary
	err = w.Store.View(ctx, w.Owner, func(tx store.Reader) (err error) {
		version, kept, err = w.find(tx)
		return err
	})
	switch {
	case err != nil:
		return r, false, err
	case version != w.version.Number:
		return r, false, ErrRewritten
	case kept == nil:
		return r, false, nil
	}
	return w.Kept(*kept), true, nil
}

// Estimate returns about the tokens that the summary will cost.
func (w *Work) Estimate() int64 {
	if w.Cost != nil {
		return w.Cost(w.Path, string(w.version.Content))
	}
	return int64(tokens.EstimateBytes(w.version.Content))
}

// Make calls Text. An error without a kind becomes [store.ErrProvider]; if it is
// that of a context, it is hidden, because the context is not the caller's. If the version
// is redacted or gone, the error says so.
func (w *Work) Make(ctx context.Context, progress func(done, total int)) (spent int64, err error) {
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

// Keep looks at the file again, because the work took time: a summary of a version that was
// redacted meanwhile, or is not retained any more, would give its content back. Keep stores
// the summary if the version is still the current one. If it cannot be stored, it is
// returned all the same, because it has cost something. To store it is no operation of its
// own: the call counts as a read.
func (w *Work) Keep(ctx context.Context) (Result, error) {
	made, head, stored, err := w.store(ctx)
	if err != nil {
		if head, err = w.lookAgain(ctx); err != nil {
			return Result{}, err
		}
	}
	r := w.Kept(made)
	r.Cached, r.Stored = false, stored
	if head.Version != made.Version {
		r.Newer = head.Version
	}
	return r, nil
}

// lookAgain is look in a transaction of its own.
func (w *Work) lookAgain(ctx context.Context) (head store.FileHead, err error) {
	err = w.Store.View(ctx, w.Owner, func(tx store.Reader) (err error) {
		l, _, err := w.look(tx, nil)
		head = l.File
		return err
	})
	return head, err
}

// look loads the file, and the summary that is kept under a key; nil: none. It returns an
// error if the version that was summarised cannot be read any more.
func (w *Work) look(tx store.Reader, key *store.SummaryKey) (l store.Loaded, damaged bool, err error) {
	l, damaged, err = w.load(tx, store.Query{Version: w.version.Number, Summary: key})
	switch {
	case err != nil:
	case !l.File.Exists():
		err = store.Errorf(store.ErrNotFound, "it was deleted meanwhile")
	default:
		if err = verify.Readable(l.File, l.Version, w.version.Number); err == nil &&
			l.Version.SHA256 != w.version.SHA256 {
			err = store.Errorf(store.ErrNotFound, "it was deleted and restored meanwhile")
		}
		if e, ok := err.(*store.Error); ok {
			e.Way = store.Way{Do: store.DoRetry} // with the current version
		}
	}
	return l, damaged, err
}

// store stores the summary if the file still has the version that was summarised. If
// another call has stored one, it returns that.
func (w *Work) store(ctx context.Context) (made store.Summary, head store.FileHead, stored bool, err error) {
	settle, err := w.Room(ctx, w.made.Time)
	if err != nil {
		return w.made, head, false, err
	}
	err = w.Store.Update(ctx, w.Owner, func(tx store.Tx) (err error) {
		made, stored = w.made, false
		l, damaged, err := w.look(tx, &w.made.SummaryKey)
		if head = l.File; err != nil || head.Version != made.Version {
			return err
		}
		if l.Summary != nil {
			made, stored = *l.Summary, true
			return nil
		}
		state := l.Owner
		if damaged { // its size is not known, so all summaries of the file go with it
			state.Bytes -= head.Summary
			head.Summary = 0
			if err := tx.Apply(store.FileChange{Head: head, Forget: true, Owner: state}); err != nil {
				return err
			}
		}
		head.Summary += int64(len(made.Content))
		state.Bytes += int64(len(made.Content))
		if err := settle(tx, l.Owner, &state); err != nil {
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

package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// Journal returns a [conversation.Journal] that keeps its records in the log at
// the path. It should hold nothing else: entries that do not look like a record
// are passed over, and one that looks like it and is none ends the reading with an
// error that names it. A wrong path shows in the first call.
//
// A record is an entry of JSON without its Seq, which is the number of the entry.
// One over the limit of an entry is split over several, "1/3 " and the first
// part of the JSON to "3/3 " and the last, and its Seq is the last one's number.
// Records of one Append stand together, whoever else appends. Once a Journal was
// read to its end, as conversation.Open does, an Append is [ErrConflict] where
// another one has added records since: two conversations do not mix.
//
// Append can be withdrawn by its context until its transaction begins; from there
// on it waits for the outcome. So its error means that nothing is stored, but for
// [ErrOutcomeUnknown]: the disk did not confirm the write, and what is there shows
// when the store is opened again. Records gives what is there when the loop
// begins; a page at a time, each of them a read.
//
// Errors wrap [conversation.ErrJournal] besides their kind: [ErrQuota] where an
// Append has no room, [ErrTooLarge] where the limit of an entry is too small even
// for parts, [ErrInvalid] for what is no record, [ErrConflict] where the log was
// deleted or trimmed while it was read.
func (w *Workspace) Journal(path string) conversation.Journal { return &journal{w: w, path: path} }

type journal struct {
	w    *Workspace
	path string

	mu    sync.Mutex // guards the following
	next  int64      // entry behind those that were read and appended, once the log was read to its end; 0 before
	added int64      // entry behind those that were appended
}

func (j *journal) Append(ctx context.Context, records ...conversation.Record) error {
	const op = "append to"
	p, err := start(ctx, op, j.path)
	if err != nil {
		return ofJournal(err)
	}
	if len(records) == 0 {
		return nil
	}
	entries, ends, err := j.encode(records)
	if err != nil {
		return ofJournal(within(op, j.path, err))
	}
	a, err := j.w.newAttempt(op, j.path, "")
	if err != nil {
		return ofJournal(err)
	}
	add := j.w.addEntries(p, a, entries)
	out, err := j.w.commitUnlessEnded(ctx, a, func(tx Tx) (Outcome, error) {
		if err := j.checkUnseen(tx, p); err != nil {
			return Outcome{}, err
		}
		return add(tx)
	})
	if err != nil {
		return ofJournal(within(op, j.path, err))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.added = max(j.added, out.Number+1); j.next > 0 {
		j.next = max(j.next, j.added)
	}
	for i := range records {
		records[i].Seq = out.Number - out.Count + int64(ends[i])
	}
	return nil
}

// checkUnseen refuses to write behind records that this journal has not read.
func (j *journal) checkUnseen(tx Reader, p Path) error {
	j.mu.Lock()
	next := j.next
	j.mu.Unlock()
	if next == 0 {
		return nil
	}
	for {
		entries, err := tx.Entries(p.name, EntryQuery{After: next - 1, Limit: pageEntries, MaxBytes: pageBytes})
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if isRecord(e.Content) {
				return fmt.Errorf("entry %d is of another conversation that is kept here: open it again, and let one at a time write: %w", e.ID, ErrConflict)
			}
		}
		next = entries[len(entries)-1].ID + 1
	}
}

// commitUnlessEnded is commit for who has to know the outcome: a context that
// ends before the transaction begins withdraws it for good, and one that ends
// later changes nothing.
func (w *Workspace) commitUnlessEnded(ctx context.Context, a *attempt, fn func(Tx) (Outcome, error)) (Outcome, error) {
	const begun, withdrawn = 1, 2
	var state atomic.Int32
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if state.CompareAndSwap(0, withdrawn) {
			cancel()
		}
	})
	defer stop()
	out, err := w.commit(inner, a, func(tx Tx) (Outcome, error) {
		if state.CompareAndSwap(0, begun); state.Load() == withdrawn {
			return Outcome{}, ctx.Err()
		}
		return fn(tx)
	})
	switch {
	case state.Load() != withdrawn: // err is the store's
		return out, err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Outcome{}, fmt.Errorf("the deadline came before it could begin, nothing happened; try again: %w: %w", ErrBusy, ctx.Err())
	}
	return Outcome{}, ctx.Err()
}

// encode returns the entries of all the records, and how many there are up to
// the end of each record.
func (j *journal) encode(records []conversation.Record) (entries []Entry, ends []int, err error) {
	for i, r := range records {
		r.Seq = 0
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, nil, fmt.Errorf("record %d: %w", i+1, invalidRecord{err})
		}
		parts := splitRecord(text, j.w.svc.limits.EntryBytes)
		if parts == nil {
			return nil, nil, fmt.Errorf("record %d: its %d bytes do not fit entries of %d bytes, nor parts of it: raise the limit of an entry: %w",
				i+1, len(text), j.w.svc.limits.EntryBytes, ErrTooLarge)
		}
		for _, part := range parts {
			entries = append(entries, j.w.newEntry(part))
		}
		ends = append(ends, len(entries))
	}
	return entries, ends, nil
}

// splitRecord returns the entries that a record becomes, nil where the limit has
// no room for a part's head and a character.
func splitRecord(text []byte, limit int64) [][]byte {
	if int64(len(text)) <= limit {
		return [][]byte{text}
	}
	for digits := 1; ; digits++ { // of the number of parts
		room := int(limit) - 2*digits - len("/ ")
		if room < utf8.UTFMax {
			return nil
		}
		parts := cutText(text, room)
		of := strconv.Itoa(len(parts))
		if len(of) > digits {
			continue
		}
		for i, part := range parts {
			parts[i] = append([]byte(strconv.Itoa(i+1)+"/"+of+" "), part...)
		}
		return parts
	}
}

// cutText cuts a text into pieces of at most so many bytes, between characters.
func cutText(text []byte, most int) (pieces [][]byte) {
	for len(text) > most {
		cut := most
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		pieces = append(pieces, text[:cut])
		text = text[cut:]
	}
	return append(pieces, text)
}

func (j *journal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		var p parts
		last := after
		for e, err := range j.entries(ctx, after) {
			last = max(last, e.ID)
			var r conversation.Record
			var whole bool
			if err == nil {
				r, whole, err = p.add(e)
				err = within(opReadLog, j.path, err)
			}
			if err != nil {
				yield(conversation.Record{}, ofJournal(err))
				return
			}
			if whole && r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if p.read > 0 {
			yield(conversation.Record{}, ofJournal(within(opReadLog, j.path, p.missing("the end of the log"))))
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.next = max(j.next, last+1, j.added) // what was appended meanwhile was not read
	}
}

// entries gives those after a number that are there when it begins; where that
// is the middle of a record, from the record's beginning.
func (j *journal) entries(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		page, err := j.firstPage(ctx, after)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		end := page.Last + page.Total - int64(len(page.Entries))
		for {
			for _, e := range page.Entries {
				if err := ctx.Err(); err != nil {
					yield(Entry{}, within(opReadLog, j.path, err))
					return
				}
				if e.ID > end || !yield(e, nil) {
					return
				}
			}
			at := page.Last
			if at >= end {
				return
			}
			page, err = j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: at})
			if err == nil && (len(page.Entries) == 0 || page.Entries[0].ID != at+1) {
				err = fail(ErrConflict, opReadLog, j.path, "entry %d is gone, the log was deleted or trimmed while it was read: read it again", at+1)
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

func (j *journal) firstPage(ctx context.Context, after int64) (LogPage, error) {
	page, err := j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: after})
	if err != nil || len(page.Entries) == 0 {
		return page, err
	}
	first := page.Entries[0]
	if n, _, _, ok := cutPart(first.Content); ok && n > 1 && n <= first.ID {
		return j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: first.ID - n})
	}
	return page, nil
}

// parts joins the entries of a record.
type parts struct {
	text     []byte
	read, of int64 // parts
}

// add takes the next entry, and returns the record where it is whole now.
func (p *parts) add(e Entry) (r conversation.Record, whole bool, err error) {
	n, of, text, ok := cutPart(e.Content)
	if !ok {
		n, of, text = 1, 1, e.Content
	}
	switch {
	case p.read == 0 && !isRecord(e.Content):
		return r, false, nil // a note of somebody else
	case p.read > 0 && (n != p.read+1 || of != p.of):
		return r, false, p.missing(fmt.Sprintf("entry %d", e.ID))
	case p.read == 0:
		p.text = text
	default:
		p.text = append(p.text, text...)
	}
	if p.read, p.of = n, of; n < of {
		return r, false, nil
	}
	if err := r.UnmarshalJSON(p.text); err != nil {
		return r, false, fmt.Errorf("entry %d is no record of a conversation: %w", e.ID, invalidRecord{err})
	}
	r.Seq = e.ID
	*p = parts{}
	return r, true, nil
}

// recordStart is how the JSON of every record begins.
const recordStart = `{"kind":"`

// isRecord reports whether an entry begins a record, whole or in parts.
func isRecord(entry []byte) bool {
	text := entry
	if n, _, part, ok := cutPart(entry); ok {
		if text = part; n != 1 {
			return false
		}
	}
	return bytes.HasPrefix(text, []byte(recordStart)) || len(text) < len(entry) && strings.HasPrefix(recordStart, string(text))
}

func (p *parts) missing(found string) error {
	return fmt.Errorf("%s stands where part %d of %d of a record should: %w", found, p.read+1, p.of, ErrInvalid)
}

// cutPart reads the head of a part, as in "2/3 " for the second of three. A whole
// record has none, for it begins with a brace.
func cutPart(entry []byte) (n, of int64, text []byte, ok bool) {
	const longest = len("9223372036854775807/9223372036854775807 ")
	space := bytes.IndexByte(entry[:min(longest, len(entry))], ' ')
	if space < 0 {
		return 0, 0, nil, false
	}
	head := string(entry[:space])
	first, second, _ := strings.Cut(head, "/")
	n, err1 := strconv.ParseInt(first, 10, 64)
	of, err2 := strconv.ParseInt(second, 10, 64)
	if err1 != nil || err2 != nil || n < 1 || n > of || of < 2 || head != fmt.Sprintf("%d/%d", n, of) {
		return 0, 0, nil, false
	}
	return n, of, entry[space+1:], true
}

// ofJournal gives an error the kind that users of a conversation look for.
func ofJournal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", conversation.ErrJournal, err)
}

// invalidRecord is an error of package conversation, which is of this package's
// kind too.
type invalidRecord struct{ error }

func (e invalidRecord) Unwrap() error { return e.error }

func (e invalidRecord) Is(target error) bool { return target == ErrInvalid }

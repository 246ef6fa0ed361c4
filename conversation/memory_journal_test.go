package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A listJournal is a journal in memory. If fail is set, it returns the error of an
// Append, before anything is stored.
type listJournal struct {
	mu      sync.Mutex
	records []Record
	fail    func([]Record) error
}

var errFull = errors.New("the disk is full")

func (j *listJournal) Append(ctx context.Context, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		if err := j.fail(records); err != nil {
			return err
		}
	}
	for i := range records {
		records[i].Seq = int64(len(j.records) + 1)
		text, err := records[i].MarshalJSON() // as every durable journal does
		var stored Record
		if err := errors.Join(err, stored.UnmarshalJSON(text)); err != nil {
			panic(err)
		}
		j.records = append(j.records, stored)
	}
	return nil
}

func (j *listJournal) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		j.mu.Lock()
		records := slices.Clone(j.records)
		j.mu.Unlock()
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			if r.Seq > after && !yield(r, nil) {
				return
			}
		}
	}
}

func (j *listJournal) setFail(fail func([]Record) error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail = fail
}

func originals(m *Memory) (string, error) {
	var msgs []Message
	for msg, err := range m.Originals(context.Background()) {
		if err != nil {
			return texts(msgs), err
		}
		msgs = append(msgs, msg)
	}
	return texts(msgs), nil
}

func TestJournalFirst(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	add(t, m, users("a b")...)
	j.setFail(func([]Record) error { return errFull })
	if err := m.Append(t.Context(), users("x y z")...); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Append: %v", err)
	}
	if err := m.Clear(t.Context()); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Clear: %v", err)
	}
	j.setFail(nil)
	add(t, m, users("c d")...)
	if got := texts(m.Messages()); got != "S d" {
		t.Errorf("the window is %q", got)
	}
	if got, err := originals(m); got != "a b c d" || err != nil {
		t.Errorf("the originals are %q, %v", got, err)
	}
	for _, err := range newMemory(t, Options{SummarizeAt: 4, Summarize: r.summarize}).Originals(t.Context()) {
		if !errors.Is(err, ErrNoJournal) {
			t.Errorf("Originals without a journal: %v", err)
		}
	}
	for _, err := range m.Originals(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break // the rest is not read
	}
}

// At every point of a conversation, with a Clear in it, Open returns the same memory and
// calls no model.
func TestOpen(t *testing.T) {
	testkit.SkipInShort(t)
	for _, keep := range []int{0, 1, 3} {
		j := &listJournal{}
		r := &recorder{}
		o := Options{SummarizeAt: 6, KeepLast: keep, Summarize: r.summarize, Journal: j}
		m := newMemory(t, o)
		add(t, m, SystemText("sys"))
		for i := range 20 {
			id := fmt.Sprint(i)
			for _, msg := range []Message{UserText("see `cmd/" + id + ".go`"), call(id), ToolResult(id, "ok"), AssistantText("a" + id)} {
				if i%7 == 3 && msg.Role == User {
					continue
				}
				add(t, m, msg)
				calls := r.calls()
				again, err := Open(t.Context(), o)
				testkit.Must(t, err)
				if diff := cmp.Diff(m.Messages(), again.Messages()); diff != "" {
					t.Fatalf("KeepLast %d, round %d: the memory (-), opened again (+):\n%s", keep, i, diff)
				}
				if diff := cmp.Diff(m.Evidence(), again.Evidence()); diff != "" || r.calls() != calls {
					t.Fatalf("KeepLast %d, round %d: evidence %s; %d calls", keep, i, diff, r.calls()-calls)
				}
			}
			if i == 10 {
				testkit.Must(t, m.Clear(t.Context()))
			}
		}
		if r.calls() < 8 {
			t.Errorf("%d summaries", r.calls())
		}
	}
}

// An error of the journal, and a record that is not valid, are errors of Open and Originals.
func TestOpenJournalErrors(t *testing.T) {
	for j, want := range map[Journal]error{
		failing{&listJournal{records: []Record{{Seq: 1, Kind: ClearRecord}}}}: errFull,
		&listJournal{records: []Record{{Seq: 1, Kind: MessageRecord}}}:        ErrInvalid,
	} {
		o := Options{SummarizeAt: 4, Summarize: brief, Journal: j}
		if _, err := Open(t.Context(), o); !errors.Is(err, ErrJournal) || !errors.Is(err, want) {
			t.Errorf("Open: %v, want %v", err, want)
		}
		if _, err := originals(newMemory(t, o)); !errors.Is(err, ErrJournal) || !errors.Is(err, want) {
			t.Errorf("Originals: %v, want %v", err, want)
		}
	}
}

type failing struct{ *listJournal }

func (failing) Records(context.Context, int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { yield(Record{}, errFull) }
}

// A new memory on a used journal begins anew, also in the journal.
func TestNewOnUsedJournal(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	o := Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j}
	add(t, newMemory(t, o), users("a b")...)
	m := newMemory(t, o)
	j.setFail(func([]Record) error { return errFull })
	if err := m.Append(t.Context(), UserText("x")); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	j.setFail(nil)
	add(t, m, users("c d e f")...)
	again, err := Open(t.Context(), o)
	testkit.Must(t, err)
	if got, want := texts(again.Messages()), texts(m.Messages()); got != "S f" || got != want || texts(r.requests[0].Messages) != "c d e" {
		t.Errorf("opened again the window is %q, it was %q, of %q", got, want, texts(r.requests[0].Messages))
	}
	if got, err := originals(m); got != "a b c d e f" || err != nil {
		t.Errorf("the originals are %q, %v", got, err)
	}
}

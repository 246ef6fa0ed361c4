package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestFileHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	want := appendRecords(t, f, saidRecord("a"))
	refused(t, path, "is held by another process")
	link := path + ".link"
	if err := os.Symlink(path, link); err == nil {
		refused(t, link, "is held by another process")
	}
	wantRecords(t, f, want)
	closeFile(t, f)
	wantRecords(t, openFile(t, path), want)
}

func TestFileClosed(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	appendRecords(t, f, saidRecord("a"), saidRecord(strings.Repeat("b", 1<<20)))
	for _, err := range f.Records(t.Context(), 0) {
		if err != nil && !errors.Is(err, conversation.ErrClosed) {
			t.Errorf("Records() over a Close ended with %v, want ErrClosed", err)
		}
		closeFile(t, f)
	}
	closeFile(t, f)
	for _, after := range []int64{0, 1, 2} {
		if _, err := readAfter(t.Context(), f, after); !errors.Is(err, conversation.ErrClosed) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Records(%d) after Close ended with %v, want ErrClosed and ErrJournal", after, err)
		}
	}
	for _, records := range [][]conversation.Record{nil, {saidRecord("c")}} {
		if err := f.Append(t.Context(), records...); !errors.Is(err, conversation.ErrClosed) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Append() after Close = %v, want ErrClosed and ErrJournal", err)
		}
	}
}

// Many goroutines append and read at once. Each batch is whole and in one piece, and
// the batches of a goroutine are in order. The loop of a reader may append.
func TestFileConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	const writers = 8
	rounds := testkit.Pick(20, 200, 400)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seqs := map[int64]string{} // the batches that were stored
	for w := range writers {
		wg.Go(func() {
			for n := range rounds {
				records := saidBatch(w, n)
				if err := f.Append(t.Context(), records...); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, r := range records {
					seqs[r.Seq] = r.Message.Content
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			mu.Lock()
			acked := len(seqs)
			mu.Unlock()
			got, err := readAfter(t.Context(), f, 0)
			if err != nil || len(got) < acked {
				t.Errorf("%d records, %v, of %d acknowledged", len(got), err, acked)
			}
			checkWhole(t, got)
		}
	})
	wg.Wait()
	own := 0
	for r, err := range f.Records(t.Context(), 0) {
		if err != nil || seqs[r.Seq] != r.Message.Content {
			t.Fatalf("record %d is %q, %v, its Append was told %q", r.Seq, r.Message.Content, err, seqs[r.Seq])
		}
		if r.Seq%100 == 1 {
			appendRecords(t, f, saidRecord("0 9999 0/1"))
			own++
		}
	}
	closeFile(t, f)
	got, err := readAfter(t.Context(), openFile(t, path), 0)
	if err != nil || len(got) != len(seqs)+own {
		t.Errorf("%d records, %v, want %d", len(got), err, len(seqs)+own)
	}
	checkWhole(t, got)
}

// saidBatch returns batch n of a writer, of one to three records.
func saidBatch(writer, n int) []conversation.Record {
	records := make([]conversation.Record, 1+(writer+n)%3)
	for i := range records {
		records[i] = saidRecord(fmt.Sprintf("%d %d %d/%d", writer, n, i, len(records)))
	}
	return records
}

// An Append whose context ends while it waits returns nil if it is stored, and an error
// if it is not.
func TestFileCancelled(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	var mu sync.Mutex
	stored := map[string]bool{}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for n := range 30 {
				ctx, cancel := context.WithCancel(t.Context())
				before := n%3 == 0
				if before {
					cancel()
				}
				go cancel()
				text := fmt.Sprintf("%d %d 0/1", w, n)
				records := []conversation.Record{saidRecord(text)}
				err := f.Append(ctx, records...)
				if ended := errors.Is(err, context.Canceled) && errors.Is(err, conversation.ErrJournal); (err != nil || before) && (!ended || records[0].Seq != 0) {
					t.Errorf("Append() = %v and Seq %d, want Canceled and ErrJournal and no Seq", err, records[0].Seq)
				}
				cancel()
				mu.Lock()
				stored[text] = err == nil
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	ended, end := context.WithCancel(t.Context())
	end()
	if got, err := readAfter(ended, f, 0); !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) || got != nil {
		t.Errorf("Records() = %v, %v, want Canceled and ErrJournal", got, err)
	}
	got, err := readAfter(t.Context(), f, 0)
	testkit.Must(t, err)
	checkWhole(t, got)
	for _, r := range got {
		if !stored[r.Message.Content] {
			t.Errorf("%q is there, its Append was an error", r.Message.Content)
		}
		delete(stored, r.Message.Content)
	}
	for text, there := range stored {
		if there {
			t.Errorf("%q was stored and is missing", text)
		}
	}
}

// checkWhole checks records with the text "writer number i/size": each batch is in one
// piece, and the numbers of a writer ascend.
func checkWhole(t testing.TB, records []conversation.Record) {
	t.Helper()
	last := map[string]int{}
	for at := 0; at < len(records); {
		who, n, i, size := parseSaid(t, records[at])
		if before, ok := last[who]; i != 0 || ok && n < before {
			t.Fatalf("record %d is %q, after number %d", at+1, records[at].Message.Content, before)
		}
		last[who] = n
		for j := range size {
			if at+j >= len(records) {
				t.Fatalf("the last batch has %d records of %d", j, size)
			}
			if who2, n2, i2, _ := parseSaid(t, records[at+j]); who2 != who || n2 != n || i2 != j || records[at+j].Seq != int64(at+j+1) {
				t.Fatalf("record %d is %q, want part %d of %s %d", records[at+j].Seq, records[at+j].Message.Content, j, who, n)
			}
		}
		at += size
	}
}

func parseSaid(t testing.TB, r conversation.Record) (who string, n, i, size int) {
	t.Helper()
	if r.Message == nil {
		t.Fatalf("record %d has no message", r.Seq)
	}
	if _, err := fmt.Sscanf(r.Message.Content, "%s %d %d/%d", &who, &n, &i, &size); err != nil || size == 0 {
		t.Fatalf("record %d is %.40q: %v", r.Seq, r.Message.Content, err)
	}
	return who, n, i, size
}

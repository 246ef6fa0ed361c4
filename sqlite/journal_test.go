package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// journalLimits are so small that a message longer than a line is stored in parts.
var journalLimits = workspace.Limits{EntryBytes: 300, Entries: 1 << 40, Bytes: 1 << 40}

func said(text string) conversation.Record {
	m := conversation.UserText(text)
	return conversation.Record{Kind: conversation.MessageRecord, Message: &m}
}

// openJournal opens a journal of agent "journal", and its store, which the
// caller closes.
func openJournal(path string, l workspace.Limits) (*sqlite.Store, conversation.Journal, error) {
	store, svc, err := openService(path, l)
	if err != nil {
		return nil, nil, err
	}
	ws, err := svc.Agent("journal")
	return store, workspace.Journal(ws, "chat"), err
}

func newJournal(t testing.TB, path string, l workspace.Limits) conversation.Journal {
	t.Helper()
	store, j, err := openJournal(path, l)
	testkit.Must(t, err)
	t.Cleanup(func() { store.Close() })
	return j
}

func recorded(t testing.TB, j conversation.Journal) (records []conversation.Record) {
	t.Helper()
	for r, err := range j.Records(t.Context(), 0) {
		if err != nil {
			t.Fatalf("after %d records: %v", len(records), err)
		}
		records = append(records, r)
	}
	return records
}

// A journal is the same after its store was opened again, also under other limits. A
// record that does not fit into a quota is not stored in part.
func TestJournal(t *testing.T) {
	if testing.Short() {
		t.Skip("15 MiB of JSON take half a minute under the race detector")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	large := said(strings.Repeat("🎉x", 1<<20)) // 5 MiB
	odd := said("\x00\n1/2 {\u2028}\"\\ 🎉")
	all := []conversation.Record{odd, large, {Kind: conversation.SummaryRecord, Summary: "s", Through: 1, Evidence: []string{"\x00", "🎉"}}, {Kind: conversation.ClearRecord}}
	store, j, err := openJournal(path, workspace.Limits{})
	testkit.Must(t, err)
	testkit.Must(t, j.Append(t.Context(), all...))
	again := []conversation.Record{large, odd}
	testkit.Must(t, j.Append(t.Context(), again...))
	all = append(all, again...)
	testkit.Must(t, store.Close())

	j = newJournal(t, path, workspace.Limits{EntryBytes: 64, Entries: 200})
	if diff := cmp.Diff(all, recorded(t, j)); diff != "" {
		t.Errorf("opened again the records are others, -want +got:\n%.2000s", diff)
	}
	batch := []conversation.Record{odd, said(strings.Repeat("x", 2000)), odd}
	if err := j.Append(t.Context(), batch...); !errors.Is(err, workspace.ErrQuota) || !errors.Is(err, conversation.ErrJournal) || batch[0].Seq != odd.Seq {
		t.Errorf("Append over the quota = %v, Seq %d, expected ErrQuota and ErrJournal, and the Seq as it was", err, batch[0].Seq)
	}
	batch = []conversation.Record{odd}
	testkit.Must(t, j.Append(t.Context(), batch...))
	if diff := cmp.Diff(append(all, batch...), recorded(t, j)); diff != "" {
		t.Errorf("after a refusal the records are others, -want +got:\n%.2000s", diff)
	}
}

// journalBatch returns a batch of one record or more, long and short, that differs from
// all others.
func journalBatch(writer string, n int) []conversation.Record {
	batch := make([]conversation.Record, 1+n%4)
	for k := range batch {
		batch[k] = said(fmt.Sprintf("%s %d %d %d %s", writer, n, k, len(batch), strings.Repeat("🎉", (n*7+k*50)%200)))
	}
	return batch
}

// checkJournal says what is wrong with the records of several writers. The records of a
// batch must stand together and be complete, and a writer's batches must be in order.
// It returns the number of batches of each writer.
func checkJournal(records []conversation.Record) (batches map[string]int, problem string) {
	batches = map[string]int{}
	last := int64(0)
	for len(records) > 0 {
		var writer string
		var n, k, of int
		if _, err := fmt.Sscan(records[0].Message.Content, &writer, &n, &k, &of); err != nil {
			return nil, err.Error()
		}
		if n != batches[writer] {
			return nil, fmt.Sprintf("of writer %s, batch %d stands where batch %d should", writer, n, batches[writer])
		}
		want := journalBatch(writer, n)
		if len(records) < len(want) {
			return nil, fmt.Sprintf("of writer %s, batch %d is cut off after %d of %d records", writer, n, len(records), of)
		}
		for k := range want {
			if want[k].Seq = records[k].Seq; want[k].Seq <= last || !cmp.Equal(want[k], records[k]) {
				return nil, fmt.Sprintf("of writer %s, batch %d: record %d after Seq %d differs, -want +got:\n%s", writer, n, k, last, cmp.Diff(want[k], records[k]))
			}
			last = records[k].Seq
		}
		batches[writer]++
		records = records[len(want):]
	}
	return batches, ""
}

// Batches of several writers, on several stores of one file, do not mix.
func TestJournalWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	var wg sync.WaitGroup
	const batches = 20
	for i := range 6 {
		if i%2 == 0 {
			newJournal(t, path, journalLimits) // the store of another process, as it were
		}
		j := newJournal(t, path, journalLimits)
		wg.Go(func() {
			for n := range batches {
				if err := j.Append(t.Context(), journalBatch(fmt.Sprint(i), n)...); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got, problem := checkJournal(recorded(t, newJournal(t, path, workspace.Limits{})))
	if problem != "" {
		t.Fatal(problem)
	}
	for i := range 6 {
		if got[fmt.Sprint(i)] != batches {
			t.Errorf("of writer %d there are %d batches, expected %d", i, got[fmt.Sprint(i)], batches)
		}
	}
}

// However a context ends, an error means that nothing is stored.
func TestJournalCancel(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	store, svc, err := openService(path, workspace.Limits{})
	testkit.Must(t, err)
	defer store.Close()
	ws, err := svc.Agent("journal")
	testkit.Must(t, err)
	j := workspace.Journal(ws, "chat")
	want := map[string]bool{}
	var mu sync.Mutex // guards want
	var wg sync.WaitGroup
	var stored, withdrawn int
	for g := range 8 {
		r := rand.New(rand.NewPCG(uint64(g), 7))
		wg.Go(func() {
			for n := range pick(40, 1000) {
				name := fmt.Sprint(g, " ", n)
				soon := time.Duration(r.IntN(800)) * time.Microsecond
				ctx, cancel := context.WithCancel(t.Context())
				if n%2 == 0 {
					ctx, cancel = context.WithTimeout(t.Context(), soon)
				}
				timer := time.AfterFunc(soon, cancel)
				err := j.Append(ctx, said(name))
				timer.Stop()
				mu.Lock()
				want[name] = err == nil
				switch {
				case err == nil:
					stored++
				case errors.Is(err, workspace.ErrOutcomeUnknown), !errors.Is(err, ctx.Err()), !errors.Is(err, conversation.ErrJournal):
					t.Errorf("Append = %v, expected the end of its context", err)
				default:
					withdrawn++
				}
				mu.Unlock()
				cancel()
			}
		})
	}
	wg.Wait()
	t.Logf("%d stored, %d withdrawn", stored, withdrawn)
	for _, r := range recorded(t, j) {
		if !want[r.Message.Content] {
			t.Errorf("%q is stored, and its Append returned an error, or it is there twice", r.Message.Content)
		}
		delete(want, r.Message.Content)
	}
	for name, stored := range want {
		if stored {
			t.Errorf("%q is not stored, and its Append returned nil", name)
		}
	}
}

// "journal DB MODE LIFE": two writers append batches until they are killed, and
// tell which are acknowledged.
var _ = register("journal", func(args []string) error {
	store, svc, err := openService(args[0], journalLimits)
	if err != nil {
		return err
	}
	if args[1] == "early" {
		if svc, err = workspace.New(earlyStore{store, new(sync.RWMutex)}, workspace.Options{Limits: journalLimits}); err != nil {
			return err
		}
	}
	ws, err := svc.Agent("journal")
	if err != nil {
		return err
	}
	for _, g := range []string{"a", "b"} {
		go func() {
			for n := 0; ; n++ {
				writer := args[2] + g
				if err := workspace.Journal(ws, "chat").Append(context.Background(), journalBatch(writer, n)...); err != nil {
					tell("%s %v", writer, err)
					return
				}
				tell("%s", writer)
			}
		}()
	}
	for range hear() {
	}
	return store.Close()
})

// runJournalKill kills processes that append, two at a time. Afterwards every
// acknowledged batch is there, in order, and at most one more of each writer.
func runJournalKill(t *testing.T, mode string, kills int) (problem string, killed int) {
	path := filepath.Join(t.TempDir(), "journal.db")
	acked := map[string]int{} // batches of each writer
	hear := func(line string) {
		writer, failed, _ := strings.Cut(line, " ")
		if acked[writer]++; failed != "" {
			t.Fatalf("Append = %s", failed)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for ; killed < kills; killed += 2 {
		var children [2]*child
		for i := range children {
			children[i] = startChild(t, "journal", path, mode, fmt.Sprint(killed+i))
		}
		for _, c := range children {
			for range 1 + r.IntN(20) {
				hear(c.next(t))
			}
		}
		for _, c := range children {
			c.cmd.Process.Kill()
		}
		for _, c := range children {
			for line := range c.lines {
				hear(line)
			}
			c.reap()
		}
		if problem := checkAcked(t, path, acked); problem != "" {
			return problem, killed
		}
	}
	total := 0
	for _, n := range acked {
		total += n
	}
	t.Logf("%d batches, %d kills", total, killed)
	checkIntegrity(t, path)
	return "", killed
}

// checkAcked compares the journal with the acknowledged batches. It counts a batch as
// acknowledged if it is there although its writer was killed before the answer.
func checkAcked(t *testing.T, path string, acked map[string]int) (problem string) {
	t.Helper()
	store, j, err := openJournal(path, workspace.Limits{})
	testkit.Must(t, err)
	defer store.Close()
	found, problem := checkJournal(recorded(t, j))
	if problem != "" {
		return problem
	}
	for writer, n := range found {
		if n == acked[writer]+1 {
			acked[writer] = n
		}
	}
	for writer, n := range acked {
		if found[writer] != n {
			return fmt.Sprintf("of writer %s there are %d batches, %d were acknowledged", writer, found[writer], n)
		}
	}
	return ""
}

func TestJournalKill(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	n := testkit.Pick(4, 20, 100)
	if *killCount > 0 {
		n = *killCount
	}
	if problem, killed := runJournalKill(t, "", n); problem != "" {
		t.Fatalf("after %d kills: %s", killed, problem)
	}
}

func TestJournalKillCatchesEarlyAnswer(t *testing.T) {
	t.Parallel()
	testkit.SkipUnlessLong(t)
	const most = 60
	problem, killed := runJournalKill(t, "early", most)
	if problem == "" {
		t.Fatalf("a store that answers before the commit passed %d kills, expected a loss to be found", most)
	}
	t.Logf("after %d kills: %s", killed, problem)
}

// BenchmarkJournal compares an Append of a message of 1 KiB with an AppendLog of the
// same bytes. The two take turns, so that both meet the same disk.
func BenchmarkJournal(b *testing.B) {
	store, svc, err := openService(filepath.Join(b.TempDir(), "bench.db"), workspace.Limits{Bytes: 1 << 40, Entries: 1 << 30})
	testkit.Must(b, err)
	defer store.Close()
	ws, err := svc.Agent("journal")
	testkit.Must(b, err)
	record := said(strings.Repeat("0123456789abcde\n", 60))
	text, err := record.MarshalJSON()
	testkit.Must(b, err)
	j := workspace.Journal(ws, "chat")
	calls := []func() error{
		func() error { _, err := ws.AppendLog(b.Context(), "log", text); return err },
		func() error { return j.Append(b.Context(), record) },
	}
	var took [2]time.Duration
	for b.Loop() {
		for k, call := range calls {
			began := time.Now()
			testkit.Must(b, call())
			took[k] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "log-us/op")
	b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "journal-us/op")
	b.ReportMetric(float64(took[1])/float64(took[0]), "journal/log")
}

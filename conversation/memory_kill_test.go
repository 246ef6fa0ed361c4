package conversation_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The points at which a process kills itself.
const (
	asked    = "asked"    // the summariser was called: between a message and the summary
	answered = "answered" // it has answered: between the summary and its record
	recorded = "recorded" // the record is in the journal
	appended = "appended" // a message is in the journal
	acked    = "acked"    // and Append has returned
)

var killPoints = []string{asked, answered, recorded, appended, acked}

const killBatches = 60

// killBatch returns batch i of the conversation that every process appends.
func killBatch(i int) []Message {
	id := fmt.Sprint("call_", i)
	switch {
	case i == 0:
		return []Message{SystemText("You write Go.")}
	case i%4 == 1:
		return []Message{UserText(fmt.Sprintf("what does `pkg/file%d.go` do with %d MiB?", i, i))}
	case i%4 == 3:
		return []Message{AssistantText("It reads them.")}
	}
	return []Message{call(id), ToolResult(id, "ok")}
}

// killSummary returns a summary that says how many calls it took, and of which
// messages.
func killSummary(q Request) string {
	n := 0
	fmt.Sscanf(q.Previous, "%d calls", &n)
	return fmt.Sprintf("%d calls, %x", n+1, sha256.Sum256([]byte(q.Previous+texts(q.Messages))))
}

func killOptions(j Journal) Options {
	return Options{SummarizeAt: 12, KeepLast: 4, Journal: j, OnError: func(err error) { panic(err) },
		Summarize: func(_ context.Context, q Request) (string, error) { return killSummary(q), nil }}
}

// openKillJournal opens a journal in a folder. after closes it.
func openKillJournal(kind, dir string) (j Journal, after func(), err error) {
	if kind == "file" {
		var torn *TornError
		f, err := FileJournal(filepath.Join(dir, "journal.jsonl"))
		if err != nil && !errors.As(err, &torn) {
			return nil, nil, err
		}
		return f, func() { f.Close() }, nil
	}
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "scratchpad.db"), sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return nil, nil, err
	}
	ws, err := svc.Agent("agent-1")
	if err != nil {
		return nil, nil, err
	}
	return workspace.Journal(ws, "conversation"), func() { store.Close() }, nil
}

// A dying journal kills the process at a point.
type dying struct {
	Journal
	at func(point string)
}

func (d dying) Append(ctx context.Context, records ...Record) error {
	summary := records[0].Kind == SummaryRecord
	if summary {
		d.at(answered)
	}
	err := d.Journal.Append(ctx, records...)
	if summary {
		d.at(recorded)
	} else {
		d.at(appended)
	}
	return err
}

func (d dying) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return d.Journal.Records(ctx, after)
}

// TestKillChild is the process that is killed. In a normal run it does nothing.
func TestKillChild(t *testing.T) {
	kind, dir, point := os.Getenv("KILL_KIND"), os.Getenv("KILL_DIR"), os.Getenv("KILL_POINT")
	if kind == "" {
		return
	}
	left := 0
	fmt.Sscan(os.Getenv("KILL_AFTER"), &left)
	at := func(here string) {
		if here == point {
			if left--; left == 0 {
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
				select {}
			}
		}
	}
	j, after, err := openKillJournal(kind, dir)
	testkit.Must(t, err)
	defer after()
	calls, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	testkit.Must(t, err)
	defer calls.Close()
	o := killOptions(dying{j, at})
	o.Summarize = func(_ context.Context, q Request) (string, error) {
		calls.WriteString("call\n")
		at(asked)
		return killSummary(q), nil
	}
	m, err := Open(t.Context(), o)
	testkit.Must(t, err)
	for i := batchesIn(t, m); i < killBatches; i++ {
		testkit.Must(t, m.Append(t.Context(), killBatch(i)...))
		fmt.Printf("ack %d\n", i)
		at(acked)
	}
	if err := m.Append(t.Context()); err != nil { // makes the summary that is still due
		t.Fatal(err)
	}
	fmt.Println("done")
}

// batchesIn returns how many batches the originals are. Each must be whole.
func batchesIn(t *testing.T, m *Memory) int {
	t.Helper()
	var got, want []Message
	for msg, err := range m.Originals(t.Context()) {
		testkit.Must(t, err)
		got = append(got, msg)
	}
	n := 0
	for ; len(want) < len(got); n++ {
		want = append(want, killBatch(n)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the originals are not %d batches:\n%s", n, diff)
	}
	return n
}

// After kills at every point, the window, the summary, the evidence and the number of
// calls are the same as in a run without a kill.
func TestKillMemory(t *testing.T) {
	testkit.SkipInShort(t)
	kills := testkit.Pick(3, 20, 100)
	whole, err := New(killOptions(nil))
	testkit.Must(t, err)
	for i := range killBatches {
		testkit.Must(t, whole.Append(t.Context(), killBatch(i)...))
	}
	for _, kind := range []string{"file", "workspace"} {
		t.Run(kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(rand.Uint64(), 0))
			for done := 0; done < kills; {
				done += killRound(t, kind, r, whole)
			}
		})
	}
}

// killRound runs the conversation to its end, with kills on the way.
func killRound(t *testing.T, kind string, r *rand.Rand, whole *Memory) (kills int) {
	dir := t.TempDir()
	lost, unsure, last := 0, 0, -1
	for {
		point := killPoints[r.IntN(len(killPoints))]
		after := 1 + r.IntN(3)
		if point == appended || point == acked {
			after = 1 + r.IntN(25)
		}
		if r.IntN(4) == 0 {
			point = "" // kill it from outside, at any time
		}
		var done bool
		if done, last = killChild(t, kind, dir, point, after, time.Duration(20+r.IntN(60))*time.Millisecond, last); done {
			break
		}
		kills++
		switch point {
		case asked, answered:
			lost++
		case "":
			unsure++
		}
	}
	j, end, err := openKillJournal(kind, dir)
	testkit.Must(t, err)
	defer end()
	m, err := Open(t.Context(), killOptions(j))
	testkit.Must(t, err)
	if n := batchesIn(t, m); n != killBatches || last >= n {
		t.Fatalf("%d batches, %d acknowledged", n, last+1)
	}
	if diff := cmp.Diff(whole.Messages(), m.Messages()); diff != "" {
		t.Fatalf("without a kill (-), with %d (+):\n%s", kills, diff)
	}
	if !slices.Equal(whole.Evidence(), m.Evidence()) {
		t.Fatalf("evidence: %q, %q", whole.Evidence(), m.Evidence())
	}
	// The calls are those of the summary, and those that a kill cut off.
	var stands int
	summary, _ := m.Summary()
	fmt.Sscanf(summary, "%d calls", &stands)
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	testkit.Must(t, err)
	if made := bytes.Count(text, []byte("\n")); made < stands+lost || made > stands+lost+unsure {
		t.Fatalf("%d calls were made, the summary stands on %d, kills cut off %d and perhaps %d", made, stands, lost, unsure)
	}
	return kills
}

// killChild runs a process that appends until it is killed: at a point, or if point is
// "", after some time. It reports whether the process came to the end, and returns the
// last batch that was stored.
func killChild(t *testing.T, kind, dir, point string, after int, wait time.Duration, last int) (done bool, stored int) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillChild$")
	cmd.Env = append(os.Environ(), "KILL_KIND="+kind, "KILL_DIR="+dir, "KILL_POINT="+point, fmt.Sprint("KILL_AFTER=", after))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	if point == "" {
		timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	done = bytes.Contains(out.Bytes(), []byte("done\n"))
	if err == nil && !done || bytes.Contains(out.Bytes(), []byte("FAIL")) {
		t.Fatalf("the process: %v\n%s", err, out.Bytes())
	}
	for line := range bytes.Lines(out.Bytes()) {
		fmt.Sscanf(string(line), "ack %d\n", &last)
	}
	return done, last
}

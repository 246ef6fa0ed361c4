package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// summaryCallers is how many call at once in each process.
const summaryCallers = 50

// countedSummarizer adds a line to a file at each call, and then answers as it is told.
func countedSummarizer(lines string, answer func() error) *workspace.Summarizer {
	return &workspace.Summarizer{
		Method: "test", Model: "model", Prompt: "1", Remote: true,
		Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			f, err := os.OpenFile(lines, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return workspace.SummaryText{}, err
			}
			_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
			if err := errors.Join(err, f.Close(), answer()); err != nil {
				return workspace.SummaryText{}, err
			}
			return workspace.SummaryText{Text: "summary of " + r.Path, Spent: 10}, nil
		},
	}
}

func summaryLines(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// watchedViews calls told after a number of Views.
type watchedViews struct {
	workspace.Store
	left *atomic.Int64
	told func()
}

func (s watchedViews) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	err := s.Store.View(ctx, o, fn)
	if s.left.Add(-1) == 0 {
		s.told()
	}
	return err
}

// "summarize DB LINES SHIFT": at a line, many callers ask for a summary of f; the
// model answers at the next line. The clock is SHIFT seconds ahead.
var _ = register("summarize", func(args []string) error {
	store, err := sqlite.Open(context.Background(), args[0], sqlite.Options{})
	if err != nil {
		return err
	}
	shift, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	lines := hear()
	views := new(atomic.Int64)
	views.Store(summaryCallers + 1) // each caller's, and the one of who is to pay
	let := make(chan struct{})
	svc, err := workspace.New(watchedViews{store, views, func() { tell("reading") }}, workspace.Options{
		Now: func() time.Time { return time.Now().Add(time.Duration(shift) * time.Second) },
		Summarizer: countedSummarizer(args[1], func() error {
			tell("paying")
			<-let
			return nil
		}),
	})
	if err != nil {
		return err
	}
	ws, err := svc.Agent("a")
	if err != nil {
		return err
	}
	tell("ready")
	<-lines
	var mu sync.Mutex // guards the following
	var made int
	var wrong []error
	var wg sync.WaitGroup
	for range summaryCallers {
		wg.Go(func() {
			r, err := ws.Summarize(context.Background(), "f", workspace.SummarizeOptions{})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && (r.Text != "summary of f" || !r.Stored) {
				err = fmt.Errorf("the summary is %+v", r)
			}
			if wrong = append(wrong, err); !r.Cached {
				made++
			}
		})
	}
	<-lines
	close(let)
	wg.Wait()
	tell("made %d", made)
	return errors.Join(errors.Join(wrong...), store.Close())
})

func summaryDatabase(t *testing.T) (path, lines string) {
	t.Helper()
	dir := t.TempDir()
	path, lines = filepath.Join(dir, "test.db"), filepath.Join(dir, "lines")
	store := open(t, path)
	ws := workspaceOn(t, store, "a")
	_, err := ws.WriteFile(t.Context(), "f", []byte(strings.Repeat("0123456789", 900)), workspace.WriteOptions{})
	testkit.Must(t, errors.Join(err, store.Close()))
	return path, lines
}

// askAll lets all callers of the processes ask at once. It returns how many of them say
// that they made the summary.
func askAll(t *testing.T, children []*child) (made int) {
	t.Helper()
	for _, c := range children {
		c.expect(t, "ready")
	}
	for _, c := range children {
		c.say(t, "ask")
	}
	reading, paying := make(map[*child]bool), 0
	heard := func(c *child) bool {
		switch line := c.next(t); line {
		case "reading":
			reading[c] = true
		case "paying":
			paying++
		default:
			t.Fatalf("a process printed %q", line)
		}
		return reading[c]
	}
	for _, c := range children { // every caller has read before any is answered
		for !heard(c) {
		}
	}
	for _, c := range children {
		c.say(t, "answer")
	}
	for _, c := range children {
		for {
			line := c.next(t)
			if line == "paying" {
				continue
			}
			var n int
			if _, err := fmt.Sscanf(line, "made %d", &n); err != nil {
				t.Fatalf("a process printed %q", line)
			}
			made += n
			break
		}
		c.finish(t)
	}
	return made
}

// Of 50 callers at once in a process, one asks the model. The summary is still
// there after a restart, and Verify finds nothing wrong.
func TestSummarizeOnce(t *testing.T) {
	t.Parallel()
	for range testkit.Pick(3, 20, 50) {
		path, lines := summaryDatabase(t)
		children := []*child{startChild(t, "summarize", path, lines, "0")}
		if made := askAll(t, children); made != 1 {
			t.Errorf("%d callers say that they made the summary, expected one", made)
		}
		if n := summaryLines(t, lines); n != 1 {
			t.Errorf("the model was called %d times, expected once", n)
		}
		expectSummary(t, path, lines, 1)
	}
}

// expectSummary opens the database again and expects the summary to be there.
func expectSummary(t *testing.T, path, lines string, calls int) {
	t.Helper()
	store := open(t, path)
	svc, err := workspace.New(store, workspace.Options{Summarizer: countedSummarizer(lines, func() error { return nil })})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	if err != nil || !r.Cached || r.Text != "summary of f" {
		t.Errorf("Summarize after a restart = %+v, %v, expected the kept one", r, err)
	}
	if n := summaryLines(t, lines); n != calls {
		t.Errorf("the model was called %d times after a restart, expected %d", n, calls)
	}
	u, err := ws.Usage(t.Context())
	if err != nil || u.Bytes != 9000+int64(len(r.Text)) {
		t.Errorf("the usage is %+v, %v, expected the bytes of the file and its summary", u, err)
	}
	report, err := store.Verify(t.Context(), sqlite.VerifyOptions{})
	if err != nil || len(report.Problems) != 0 {
		t.Errorf("Verify() = %q, %v, expected no problem", report.Problems, err)
	}
	leases, err := store.System(t.Context()).List("lease/", "", 1000)
	if err != nil || len(leases) != 0 {
		t.Errorf("the leases are %v, %v, expected none", leases, err)
	}
}

// A process is killed while the model works for it. The next process does not wait for it,
// and pays once for all of its callers.
func TestKillWhileSummarizing(t *testing.T) {
	t.Parallel()
	path, lines := summaryDatabase(t)
	victim := startChild(t, "summarize", path, lines, "0")
	victim.expect(t, "ready")
	victim.say(t, "ask")
	for victim.next(t) != "paying" {
	}
	victim.kill()
	if made := askAll(t, []*child{startChild(t, "summarize", path, lines, "0")}); made != 1 {
		t.Errorf("%d callers say that they made the summary, expected one", made)
	}
	if n := summaryLines(t, lines); n != 2 {
		t.Errorf("the model was called %d times, expected twice: by the killed process and after it", n)
	}
	expectSummary(t, path, lines, 2)
}

// A summary is there after a restart. Deleting the file gives its bytes back.
func TestSummaryIsForgotten(t *testing.T) {
	t.Parallel()
	path, lines := summaryDatabase(t)
	for i := range 2 {
		store := open(t, path)
		svc, err := workspace.New(store, workspace.Options{Summarizer: countedSummarizer(lines, func() error { return nil })})
		testkit.Must(t, err)
		ws, err := svc.Agent("a")
		testkit.Must(t, err)
		if r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{}); err != nil || r.Cached != (i == 1) {
			t.Fatalf("Summarize %d = %+v, %v", i, r, err)
		}
		if i == 0 {
			testkit.Must(t, store.Close())
			continue
		}
		if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		u, err := ws.Usage(t.Context())
		if err != nil || u.Bytes != 0 {
			t.Errorf("the usage after the deletion is %+v, %v, expected no bytes", u, err)
		}
		if report, err := store.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || len(report.Problems) != 0 {
			t.Errorf("Verify() = %q, %v, expected no problem", report.Problems, err)
		}
	}
	if n := summaryLines(t, lines); n != 1 {
		t.Errorf("the model was called %d times, expected once", n)
	}
}

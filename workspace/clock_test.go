package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A key from the future comes from a clock that was set back, and has expired. A key that
// is ahead by no more than clocks may differ is valid.
func TestKeyFromTheFuture(t *testing.T) {
	for _, test := range []struct {
		back    time.Duration
		version int64
	}{{5 * time.Minute, 1}, {5*time.Minute + time.Second, 2}, {48 * time.Hour, 2}, {10 * 365 * day, 2}} {
		clock := testkit.NewClock()
		ws := newWorkspace(t, workspace.Options{Now: clock.Now})
		put := func() int64 {
			t.Helper()
			r, err := ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{IdempotencyKey: "key"})
			if err != nil {
				t.Fatal(err)
			}
			return r.Version
		}
		put()
		clock.Advance(-test.back)
		for range 2 {
			if v := put(); v != test.version {
				t.Errorf("the key of %v ahead gets version %d, want %d", test.back, v, test.version)
			}
		}
	}
}

// Keys from the future go like expired ones, ten with each write, so that they do not
// take the place of new ones.
func TestKeysFromTheFutureGo(t *testing.T) {
	clock := testkit.NewClock()
	svc, store := newService(t, workspace.Options{Now: clock.Now})
	ws := agentOf(t, svc, "a")
	put := func(key string) int64 {
		t.Helper()
		r, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{IdempotencyKey: key})
		if err != nil {
			t.Fatal(err)
		}
		return r.Version
	}
	for n := range 1000 {
		put(fmt.Sprint("ahead-", n))
	}
	clock.Advance(-10 * 365 * day)
	first := put("new-0")
	for n := range 5 {
		put(fmt.Sprint("new-", n+1))
	}
	if v := put("new-0"); v != first {
		t.Errorf("a new key gets version %d when it is used again, want that of its first use, %d", v, first)
	}
	if n := stateOf(t, store, ws).Requests; n != 1000-60+6 {
		t.Errorf("%d keys are kept after 6 writes, want 946: each removes ten of 1,000", n)
	}
	for range 100 {
		write(t, ws, "f", "")
	}
	if n := stateOf(t, store, ws).Requests; n != 6 {
		t.Errorf("%d keys are kept after 100 writes more, want the 6 new ones", n)
	}
}

// Times in the future are shown unchanged. The versions and entries of a path stay in the
// order of their times.
func TestTimesInTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	ws := newWorkspace(t, workspace.Options{Now: clock.Now})
	write(t, ws, "old", "x")
	clock.Advance(400 * day)
	ahead := clock.Now()
	write(t, ws, "f", "x")
	appendLog(t, ws, "l", "x")
	clock.Advance(-400 * day)
	write(t, ws, "f", "y")
	appendLog(t, ws, "l", "y")
	write(t, ws, "old", "y")

	versions, err := ws.History(t.Context(), "f")
	if err != nil || len(versions) != 2 || !versions[0].Time.Equal(ahead) || !versions[1].Time.Equal(ahead) {
		t.Errorf("History = %+v, %v, want two versions of %v", versions, err, ahead)
	}
	page, err := ws.ReadLog(t.Context(), "l", workspace.ReadLogOptions{})
	if err != nil || len(page.Entries) != 2 || !page.Entries[0].Time.Equal(ahead) || !page.Entries[1].Time.Equal(ahead) {
		t.Errorf("ReadLog = %+v, %v, want two entries of %v", page, err, ahead)
	}
	list, err := ws.ListFiles(t.Context(), workspace.ListOptions{})
	if err != nil || len(list.Files) != 2 || !list.Files[0].Updated.Equal(ahead) || !list.Files[1].Updated.Equal(clock.Now()) {
		t.Errorf("ListFiles = %+v, %v, want the times as they are", list, err)
	}
	if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if r, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{}); err != nil || r.Version != 3 {
		t.Errorf("a write after a deletion = %+v, %v, want version 3", r, err)
	}
}

// Spending in a future month, by a clock that was ahead, is forgotten when a new month
// begins. The months around the present one are kept.
func TestSpendOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	const prefix = "spend/summary/local/a/"
	for _, month := range []string{"2026-09", "2026-10", "2026-12", "2027-01", "2036-01"} {
		if _, err := store.System(t.Context()).Put(prefix+month, []byte("7"), 0); err != nil {
			t.Fatal(err)
		}
	}
	write(t, ps[0], "f", longText("one"))
	summarize(t, ps[0], "f")
	var months []string
	for _, r := range records(t, store, prefix) {
		months = append(months, strings.TrimPrefix(r.Key, prefix))
	}
	if want := []string{"2026-10", "2026-11", "2026-12"}; !slices.Equal(months, want) {
		t.Errorf("the months %v are kept, want %v", months, want)
	}
}

// A failure that has used tokens is the answer for 30 s. A failure that would last
// longer, because the clock was set back since, is ignored.
func TestFailureOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	write(t, ps[0], "f", longText("one"))
	abandon(t, store, ps[0], m, "f")
	left := records(t, store, "lease/")[0]
	for _, test := range []struct {
		ahead time.Duration
		asked bool
	}{{59 * time.Second, false}, {61 * time.Second, true}} {
		text := fmt.Sprintf(`{"until":%q,"failed":"it failed","paid":true}`, clock.Now().Add(test.ahead).Format(time.RFC3339))
		var err error
		if left.Revision, err = store.System(t.Context()).Put(left.Key, []byte(text), left.Revision); err != nil {
			t.Fatal(err)
		}
		if _, err := ps[0].Summarize(t.Context(), "f", workspace.SummarizeOptions{}); (err == nil) != test.asked {
			t.Errorf("Summarize after a failure that lasts %v more = %v, want the model asked: %t", test.ahead, err, test.asked)
		}
	}
}

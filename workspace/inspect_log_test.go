package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// filledLog appends entries of many sizes by several authors, and trims the log. It returns
// what the log has, by number.
func filledLog(t *testing.T, ws *workspace.Workspace, random *rand.Rand) (all []workspace.Entry) {
	authors := []workspace.Author{{Client: "Claude Code", Version: "2.1", Key: "key-a"}, {Client: "cursor", Version: "2.1"}, {}}
	words := []string{"Deploy", "deploy ÄÖ", "nothing", "budget"}
	for id := int64(1); id <= 400; {
		var batch []string
		by := authors[random.IntN(len(authors))]
		for range 1 + random.IntN(40) {
			text := fmt.Sprintf("%s %d %s", words[random.IntN(len(words))], id, strings.Repeat("x", random.IntN(50)))
			if random.IntN(20) == 0 {
				text += strings.Repeat("y", 60_000)
			}
			batch = append(batch, text)
			all = append(all, workspace.Entry{ID: id, Author: by, Content: []byte(text)})
			id++
		}
		appendLog(t, ws.As(by), "log", batch...)
	}
	testkit.Must(t, failure(ws.TrimLog(t.Context(), "log", 20, workspace.DeleteOptions{})))
	return all[20:]
}

// The pages of a log have each entry that matches once, the newest first, as it was
// written, whatever the query is.
func TestViewLog(t *testing.T) {
	testkit.SkipInShort(t)
	onEachStore(t, func(t *testing.T, store workspace.Store) {
		svc := serviceOn(t, store, workspace.Options{})
		ws := agentOf(t, svc, "a")
		random := rand.New(rand.NewPCG(3, 4))
		all := filledLog(t, ws, random)
		last := all[len(all)-1].ID
		for range testkit.Pick(10, 100, 1000) {
			q := workspace.LogQuery{
				Author: []string{"", "", "claude", "CODE 2.1 KEY", "2.1", "nobody"}[random.IntN(6)],
				Text:   []string{"", "", "DEPLOY", "äö", "yyyy", "missing"}[random.IntN(6)],
				Limit:  []int{0, 3, 17, 100}[random.IntN(4)],
				After:  []int64{0, 0, 5, 200, last, last + 9}[random.IntN(6)],
				Before: []int64{0, 0, 10, 300, last + 5}[random.IntN(5)],
			}
			var want, got []int64
			for _, e := range slices.Backward(all) {
				by := strings.ToLower(e.Author.Client + " " + e.Author.Version + " " + e.Author.Key)
				if e.ID > q.After && (q.Before == 0 || e.ID < q.Before) && strings.Contains(by, strings.ToLower(q.Author)) &&
					strings.Contains(strings.ToLower(string(e.Content)), strings.ToLower(q.Text)) {
					want = append(want, e.ID)
				}
			}
			first := q
			for {
				v, err := ws.ViewLog(t.Context(), "log", q)
				if err != nil || !v.Exists || v.First != 21 || v.Last != last || len(got) > len(all) {
					t.Fatalf("ViewLog(%+v) = %d-%d, %v, want %d-%d", q, v.First, v.Last, err, 21, last)
				}
				size := 0
				for _, e := range v.Entries {
					got = append(got, e.ID)
					size += len(e.Content)
					if stored := all[e.ID-21]; string(e.Content) != string(stored.Content) || e.Author != stored.Author || e.Time.IsZero() {
						t.Fatalf("ViewLog(%+v) has another entry %d than was written", q, e.ID)
					}
				}
				if len(v.Entries) > 1 && size > 256<<10 || len(v.Entries) > 100 || v.Scanned > 5000 {
					t.Fatalf("ViewLog(%+v) has %d entries of %d bytes, looked at %d", q, len(v.Entries), size, v.Scanned)
				}
				if q.Before = v.Next; q.Before == 0 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("all pages of ViewLog(%+v) = %d\nwant %d", first, got, want)
			}
		}
	})
}

// No log is an empty page, also a deleted one. A wrong argument is refused. No call is
// counted.
func TestViewLogOfLittle(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	if v, err := ws.ViewLog(t.Context(), "none", workspace.LogQuery{}); err != nil || v.Exists || v.Next != 0 {
		t.Errorf("ViewLog of none = %+v, %v", v, err)
	}
	appendLog(t, ws, "log", "x", "y")
	testkit.Must(t, failure(ws.TrimLog(t.Context(), "log", 2, workspace.DeleteOptions{})))
	if v, err := ws.ViewLog(t.Context(), "log", workspace.LogQuery{}); err != nil || !v.Exists || len(v.Entries) != 0 || v.Next != 0 || v.First != 3 {
		t.Errorf("ViewLog of an empty log = %+v, %v", v, err)
	}
	before := usage(t, ws)
	for _, q := range []workspace.LogQuery{{Before: -1}, {After: -1}, {Limit: 101}, {Limit: -1}, {Text: strings.Repeat("x", 1001)}, {Author: strings.Repeat("x", 1001)}} {
		_, err := ws.ViewLog(t.Context(), "log", q)
		wantErr(t, "ViewLog", err, workspace.ErrInvalid)
	}
	_, err := ws.ViewLog(t.Context(), "../x", workspace.LogQuery{})
	wantErr(t, "ViewLog", err, workspace.ErrInvalid)
	if after := usage(t, ws); after.Operations != before.Operations+1 {
		t.Errorf("the calls are counted: %+v, then %+v", before, after)
	}
}

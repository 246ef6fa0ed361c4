package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A page with Where is what a reader would pick out of the whole log: so many of the entries that
// match, and how many of the log match.
func TestReadLogWhere(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	const entries, trimmed = 5000, 30 // several reads of the store
	texts := [][]byte{}
	for i := range entries {
		texts = append(texts, fmt.Appendf(nil, `{"n":%d,"of":"%s"}`, i+1, strings.Repeat("x", i%200)))
	}
	texts[49] = []byte(`n=50`)
	texts[59] = []byte(`{"n":60,"n":60}`)
	testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "l", texts...)))
	trimLog(t, ws, "l", trimmed, workspace.DeleteOptions{})
	for _, test := range []struct {
		where   string
		matches func(n int64) bool
	}{
		{"n>0", func(n int64) bool { return n != 50 && n != 60 }},
		{"n>=4000 n<4200", func(n int64) bool { return n >= 4000 && n < 4200 }},
		{"n=50", func(int64) bool { return false }},
		{"n=4999", func(n int64) bool { return n == 4999 }},
	} {
		var all []int64
		for n := int64(trimmed + 1); n <= entries; n++ {
			if test.matches(n) {
				all = append(all, n)
			}
		}
		for _, o := range []workspace.ReadLogOptions{
			{}, {Limit: 3}, {Limit: 100, Since: 4100}, {Since: 4150}, {Since: 4998}, {Since: 4999}, {Since: 9000}, {Since: 7},
			{Tail: 1}, {Tail: 100}, {Tail: 100}, {Zeros: limit0}, {Zeros: limit0, Since: 4999},
		} {
			o.Where = test.where
			want, shown := pageOfMatching(all, entries, trimmed, o)
			got := readLog(t, ws, "l", o)
			if diff := cmp.Diff(append([]int64{}, shown...), append([]int64{}, numbers(got)...)); diff != "" {
				t.Errorf("ReadLog(%+v): entries, want - got +:\n%s", o, diff)
			}
			got.Entries = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ReadLog(%+v), want - got +:\n%s", o, diff)
			}
		}
	}
	for _, path := range []string{"l", "absent"} {
		_, err := ws.ReadLog(t.Context(), path, workspace.ReadLogOptions{Where: "n > 5"})
		wantErr(t, "ReadLog", err, workspace.ErrInvalid, `Where: "n > 5" is no condition`)
	}
	if page := readLog(t, ws, "absent", workspace.ReadLogOptions{Where: "n>5"}); page.Exists {
		t.Errorf("a log that does not exist = %+v", page)
	}
}

// pageOfMatching is the page of a log whose entries with the numbers all match. It has the entries
// from trimmed+1 to last.
func pageOfMatching(all []int64, last, trimmed int64, o workspace.ReadLogOptions) (want workspace.LogPage, shown []int64) {
	want = workspace.LogPage{Path: "l", Exists: true, Total: last - trimmed, Matched: int64(len(all)), Last: max(last, o.Since)}
	after := slices.DeleteFunc(slices.Clone(all), func(n int64) bool { return n <= o.Since })
	most := 100
	shown = after
	if o.Limit+o.Tail > 0 {
		most = o.Limit + o.Tail
	} else if o.Zeros != nil {
		most = 0
	}
	if want.More = len(after) > most; want.More {
		shown = after[:most]
		if o.Tail > 0 {
			shown = after[len(after)-most:]
		} else if want.Last = o.Since; most > 0 {
			want.Last = shown[most-1]
		}
	}
	if o.Since > 0 && o.Since < trimmed {
		want.Removed = trimmed
	}
	return want, shown
}

// A page with Where keeps the bound of bytes, and its cursor leads through all that match.
func TestReadLogWherePages(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for i := range 31 {
		appendLog(t, ws, "l", fmt.Sprintf(`{"n":%d,"text":%q}`, i%3, strings.Repeat("x", 40_000)))
	}
	appendLog(t, ws, "l", `{"n":1}`) // it has room on the first page, but does not follow
	var got []int64
	for o := (workspace.ReadLogOptions{Where: "n=1"}); ; {
		page := readLog(t, ws, "l", o)
		if size := 40_000 * len(page.Entries); size == 0 || size > 256<<10 {
			t.Fatalf("a page of %d entries", len(page.Entries))
		}
		got = append(got, numbers(page)...)
		if o.Since = page.Last; !page.More {
			break
		}
	}
	if want := []int64{2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32}; !slices.Equal(got, want) {
		t.Errorf("the pages have entries %d, want %d", got, want)
	}
	if page := readLog(t, ws, "l", workspace.ReadLogOptions{Where: "n=1", Tail: 10}); page.Entries[len(page.Entries)-1].ID != 32 || len(page.Entries) != 7 || !page.More {
		t.Errorf("the tail has entries %d", numbers(page))
	}
}

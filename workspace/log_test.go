package workspace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func readLog(t testing.TB, ws *workspace.Workspace, path string, o workspace.ReadLogOptions) workspace.LogPage {
	t.Helper()
	page, err := ws.ReadLog(t.Context(), path, o)
	testkit.Must(t, err)
	return page
}

// limit0 says that somebody gave a limit of 0.
var limit0 = []store.Arg{store.ArgLimit}

func TestReadLogRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "l", "x")
	for _, test := range []struct {
		o    workspace.ReadLogOptions
		says []string
	}{
		{workspace.ReadLogOptions{Tail: 1, Since: 1}, []string{"Tail and Since exclude each other"}},
		{workspace.ReadLogOptions{Tail: 1, Limit: 1}, []string{"Tail and Limit exclude each other"}},
		{workspace.ReadLogOptions{Tail: 101}, []string{"Tail is 101", "1-100"}},
		{workspace.ReadLogOptions{Tail: -1}, []string{"Tail is -1", "1-100"}},
		{workspace.ReadLogOptions{Limit: 101}, []string{"Limit is 101", "1-100"}},
		{workspace.ReadLogOptions{Limit: -1}, []string{"Limit is -1", "1-100"}},
		{workspace.ReadLogOptions{Since: -1}, []string{"Since is -1", "0"}},
		{workspace.ReadLogOptions{Since: math.MaxInt64}, []string{"Since is"}},
	} {
		for _, path := range []string{"l", "absent"} {
			_, err := ws.ReadLog(t.Context(), path, test.o)
			wantErr(t, fmt.Sprintf("ReadLog(%q, %+v)", path, test.o), err, workspace.ErrInvalid, test.says...)
		}
	}
}

// lineSize is what an entry costs on a page as the MCP tool writes it: a JSON
// array of number, seconds and text, and a line feed.
func lineSize(t testing.TB, e workspace.Entry) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	testkit.Must(t, enc.Encode([]any{e.ID, 999_999_999, string(e.Content)}))
	return b.Len()
}

// A page is at most 256 KiB as JSON, with one entry at least, and no smaller
// than it need be.
func TestReadLogPageBytes(t *testing.T) {
	testkit.SkipInShort(t)
	const most = 256 << 10
	for name, entry := range map[string]string{
		"plain":       strings.Repeat("x", 20_000),
		"largest":     strings.Repeat("x", 64<<10),
		"all control": strings.Repeat("\x00", 64<<10),
		"two bytes":   strings.Repeat("é", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, workspace.Options{})
			for range 30 {
				appendLog(t, ws, "l", entry)
			}
			check := func(page workspace.LogPage) {
				t.Helper()
				size := 0
				for _, e := range page.Entries {
					size += lineSize(t, e)
				}
				if n := len(page.Entries); n == 0 || n > 1 && size > most {
					t.Errorf("a page of %d entries has %d bytes, want %d at most, and an entry", n, size, most)
				}
				if one := lineSize(t, page.Entries[0]); page.More && size+one < most*9/10 {
					t.Errorf("a page of %d entries has %d bytes, want no less than fit: one more has %d", len(page.Entries), size, one)
				}
			}
			var got int64
			for since, more := int64(0), true; more; {
				page := readLog(t, ws, "l", workspace.ReadLogOptions{Since: since})
				check(page)
				if page.Entries[0].ID != since+1 || page.Total != 30 {
					t.Fatalf("a page after %d begins with %d, of %d, want %d of 30", since, page.Entries[0].ID, page.Total, since+1)
				}
				got += int64(len(page.Entries))
				since, more = page.Last, page.More
			}
			if got != 30 {
				t.Errorf("the pages have %d entries, want 30", got)
			}
			page := readLog(t, ws, "l", workspace.ReadLogOptions{Tail: 100})
			check(page)
			if n := int64(len(page.Entries)); page.Last != 30 || page.Entries[n-1].ID != 30 || page.Entries[0].ID != 31-n || page.Total != 30 || page.More != (n < 30) {
				t.Errorf("the tail has entries %d to %d, total %d, more %t, want those to 30, and what is older", page.Entries[0].ID, page.Last, page.Total, page.More)
			}
		})
	}
}

func trimLog(t testing.TB, ws *workspace.Workspace, path string, through int64) workspace.DeleteResult {
	t.Helper()
	r, err := ws.TrimLog(t.Context(), path, through, workspace.TrimLogOptions{})
	testkit.Must(t, err)
	return r
}

// numbers returns the numbers of the entries of a page.
func numbers(page workspace.LogPage) (list []int64) {
	for _, e := range page.Entries {
		list = append(list, e.ID)
	}
	return list
}

func TestTrimLog(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "l", "one", "two", "three", "four")
	for _, test := range []struct {
		through int64
		says    string
	}{
		{5, "delete entries of log l: through is 5, the last entry is 4; give that or less"},
		{0, "through is 0, the least is 1"},
	} {
		_, err := ws.TrimLog(t.Context(), "l", test.through, workspace.TrimLogOptions{})
		wantErr(t, fmt.Sprintf("TrimLog through %d", test.through), err, workspace.ErrInvalid, test.says)
	}
	if r := trimLog(t, ws, "l", 4); r.Removed != 4 {
		t.Errorf("TrimLog of all entries = %+v, want four removed", r)
	}
	if r := trimLog(t, ws, "l", 4); r != (workspace.DeleteResult{Path: "l"}) {
		t.Errorf("TrimLog of no entry = %+v, want nothing deleted", r)
	}
	if r := appendLog(t, ws, "l", "five"); r.Last != 5 {
		t.Errorf("the entry after four that were removed has the number %d, want 5", r.Last)
	}
}

// A log is deleted with a condition only if it has no entries that the caller has not seen.
func TestDeleteLogIfLast(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	remove := func(last int64) (workspace.DeleteResult, error) {
		return ws.DeleteLog(t.Context(), "l", workspace.DeleteLogOptions{IfLast: &last})
	}
	if r, err := remove(7); err != nil || r.Deleted {
		t.Errorf("DeleteLog of no log = %+v, %v, want nothing deleted", r, err)
	}
	appendLog(t, ws, "l", "one", "two")
	trimLog(t, ws, "l", 2)
	appendLog(t, ws, "l", "three")
	for _, last := range []int64{-1, 0, 2, 4} {
		_, err := remove(last)
		wantErr(t, "DeleteLog with another last entry", err, workspace.ErrConflict, "delete log l: its last entry is 3, not", "try again")
	}
	if r, err := remove(3); err != nil || r.Removed != 1 {
		t.Errorf("DeleteLog = %+v, %v, want one entry removed", r, err)
	}
}

// A page is what a reader would pick out of the whole log. With Where, it has so many of the entries
// that match, and says how many of the log match.
func TestReadLogWhere(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	const entries, trimmed = 3000, 30 // several reads of the store
	texts := [][]byte{}
	for i := range entries {
		texts = append(texts, fmt.Appendf(nil, `{"n":%d,"of":"%s"}`, i+1, strings.Repeat("x", i%200)))
	}
	texts[49] = []byte(`n=50`)
	texts[59] = []byte(`{"n":60,"n":60}`)
	testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "l", texts...)))
	trimLog(t, ws, "l", trimmed)
	for _, test := range []struct {
		where   string
		matches func(n int64) bool
	}{
		{"", func(int64) bool { return true }},
		{"n>0", func(n int64) bool { return n != 50 && n != 60 }},
		{"n>=2000 n<2200", func(n int64) bool { return n >= 2000 && n < 2200 }},
		{"n=50", func(int64) bool { return false }},
		{"n=2999", func(n int64) bool { return n == 2999 }},
	} {
		var all []int64
		for n := int64(trimmed + 1); n <= entries; n++ {
			if test.matches(n) {
				all = append(all, n)
			}
		}
		for _, o := range []workspace.ReadLogOptions{
			{}, {Limit: 3}, {Limit: 100, Since: 2100}, {Since: 2998}, {Since: 2999}, {Since: 9000}, {Since: 7}, {Tail: 1}, {Tail: 100},
			{Zeros: limit0}, {Zeros: limit0, Since: 2999},
		} {
			o.Where = test.where
			want, shown := pageOfMatching(all, entries, trimmed, o)
			if test.where == "" {
				want.Matched = 0
			}
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

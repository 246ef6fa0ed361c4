package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestReadRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, test := range []struct {
		content string
		o       workspace.ReadOptions
		says    []string
	}{
		{"a\nb\n", workspace.ReadOptions{FromLine: 3}, []string{"the file has 2 lines"}},
		{"a\nb", workspace.ReadOptions{FromLine: math.MaxInt}, []string{"the file has 2 lines"}},
		{"", workspace.ReadOptions{FromLine: 1, ToLine: 1}, []string{"the file has 0 lines"}},
		{"a\nb\n", workspace.ReadOptions{FromLine: 2, ToLine: 1}, []string{"FromLine 2 is after ToLine 1"}},
		{"a\nb\n", workspace.ReadOptions{FromLine: -1, ToLine: 1}, []string{"FromLine is -1, the least is 1"}},
		{"a\nb\n", workspace.ReadOptions{ToLine: -1}, []string{"ToLine is -1, the least is 1"}},
		{"a\nc\n", workspace.ReadOptions{Since: 1, Version: 1}, []string{"Since and Version", "exclude"}},
		{"a\nc\n", workspace.ReadOptions{Since: 1, FromLine: 1}, []string{"Since and FromLine/ToLine", "exclude"}},
		{"a\nc\n", workspace.ReadOptions{Since: -1}, []string{"Since must be 1 or more", "read without Since, or give 1 to"}},
		{"a\nc\n", workspace.ReadOptions{MaxTokens: -1}, []string{"MaxTokens is -1"}},
		{"a\nc\n", workspace.ReadOptions{Context: 1}, []string{"Context needs Since"}},
		{"a\nc\n", workspace.ReadOptions{Since: 1, Context: -2}, []string{"Context is -2", "-1"}},
	} {
		write(t, ws, "f", test.content)
		_, err := ws.ReadFile(t.Context(), "f", test.o)
		wantErr(t, fmt.Sprintf("ReadFile(%+v) of %q", test.o, test.content), err, workspace.ErrInvalid, test.says...)
	}
}

// plan is a text of so many lines, each with some words, that a diff of a few
// is worth sending.
func plan(lines int, changed ...int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%d. look after item %d of the plan\n", i+1, i+1)
	}
	text := b.String()
	for _, n := range changed {
		text = strings.Replace(text, fmt.Sprintf("%d. look after", n), fmt.Sprintf("%d. see to", n), 1)
	}
	return text
}

func TestReadDiffLarger(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, texts := range [][2]string{{"a", ""}, {"", "a"}, {"a\n", "b\n"}, {plan(50), strings.ToUpper(plan(50))}, {plan(50), "x"}} {
		write(t, ws, "f", texts[0])
		write(t, ws, "f", texts[1])
		current := read(t, ws, "f", workspace.ReadOptions{}).Current
		r := read(t, ws, "f", workspace.ReadOptions{Since: current - 1})
		if !r.DiffLarger || r.VersionTooOld || r.Unchanged || r.Diff != nil || string(r.Content) != texts[1] {
			t.Errorf("from %.20q to %.20q: %+v, want DiffLarger and the content", texts[0], texts[1], r)
		}
		r = read(t, ws, "f", workspace.ReadOptions{Since: current - 1, Context: -1})
		got, err := linediff.Apply([]byte(texts[0]), r.Diff)
		if r.DiffLarger || r.Diff == nil || r.Content != nil || err != nil || string(got) != texts[1] {
			t.Errorf("from %.20q to %.20q with every line: %+v, which applied gives %.20q, %v, want the diff whatever it costs", texts[0], texts[1], r, got, err)
		}
		for _, c := range r.Diff {
			if c.Count != 0 {
				t.Errorf("from %.20q to %.20q with every line: a chunk counts %d lines, want them all given", texts[0], texts[1], c.Count)
			}
		}
	}
}

// What is given and what is returned is nobody else's.
func TestContentIsCopied(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	content, entry := []byte("content"), []byte("entry")
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", content, workspace.WriteOptions{})))
	testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "f", entry)))
	content[0], entry[0] = 'X', 'X'
	for range 2 {
		r := read(t, ws, "f", workspace.ReadOptions{})
		page, err := ws.ReadLog(t.Context(), "f", workspace.ReadLogOptions{})
		if err != nil || string(r.Content) != "content" || len(page.Entries) != 1 || string(page.Entries[0].Content) != "entry" {
			t.Fatalf("the file holds %q and the log %+v, %v, want what was written", r.Content, page, err)
		}
		r.Content[0], page.Entries[0].Content[0] = 'Y', 'Y'
	}
}

// numbered is a text of lines that each name their number.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a text that is read in parts\n", i+1)
	}
	return b.String()
}

// In place of a diff over the bound stand the changed lines.
func TestReadMaxTokensDiff(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	lines := strings.SplitAfter(numbered(1000), "\n")
	write(t, ws, "f", strings.Join(lines, ""))
	lines[0] = "the first line is another one, and says a little more\n"
	for i := 99; i < 109; i++ {
		lines[i] = "ten lines\n"
	}
	lines[499] = "" // removed
	write(t, ws, "f", strings.Join(lines, ""))
	o := workspace.ReadOptions{Since: 1}
	if r := read(t, ws, "f", o); r.Diff == nil || r.Truncated {
		t.Fatalf("ReadFile since 1 = %+v, want a diff", r)
	}
	o.MaxTokens = 150
	r := read(t, ws, "f", o)
	want := []workspace.LineRange{{From: 1, To: 1}, {From: 100, To: 109}}
	gone := []workspace.LineRange{{From: 1, To: 1}, {From: 100, To: 109}, {From: 500, To: 500}}
	if diff := cmp.Diff([2][]workspace.LineRange{want, gone}, [2][]workspace.LineRange{r.Changed, r.Removed}); diff != "" || r.Joined || r.Diff != nil || r.Content != nil || !r.Truncated || r.Lines != 999 {
		t.Errorf("ReadFile since 1 of 150 tokens = %+v, want the changed lines (-want +got):\n%s", r, diff)
	}
	o.MaxTokens = 70
	if r := read(t, ws, "f", o); len(r.Changed) != 2 || len(r.Removed) != 2 || r.Removed[0] != (workspace.LineRange{From: 1, To: 109}) || !r.Joined {
		t.Errorf("ReadFile since 1 of 70 tokens = %v and %v, want two of the removed ranges joined", r.Changed, r.Removed)
	}
	o.MaxTokens = 1500
	if r := read(t, ws, "f", o); r.Diff == nil || r.Truncated {
		t.Errorf("ReadFile since 1 of 1,500 tokens = %+v, want a diff", r)
	}
	write(t, ws, "f", strings.Repeat("all is another text now\n", 1000))
	r = read(t, ws, "f", o)
	all := func(n int) []workspace.LineRange { return []workspace.LineRange{{From: 1, To: n}} }
	if diff := cmp.Diff([2][]workspace.LineRange{all(1000), all(1000)}, [2][]workspace.LineRange{r.Changed, r.Removed}); diff != "" || r.DiffLarger || !r.Truncated || r.Content != nil {
		t.Errorf("ReadFile since 1 where all has changed = %+v, want the lines that changed (-want +got):\n%s", r, diff)
	}
}

// Lines that were only removed are named by their numbers in the version before.
func TestReadMaxTokensRemoved(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	lines := strings.SplitAfter(numbered(2000), "\n")
	write(t, ws, "f", strings.Join(lines, ""))
	write(t, ws, "f", strings.Join(append(lines[:500:500], lines[600:]...), ""))
	r := read(t, ws, "f", workspace.ReadOptions{Since: 1, MaxTokens: 200})
	if want := []workspace.LineRange{{From: 501, To: 600}}; !cmp.Equal(r.Removed, want) || r.Changed == nil || len(r.Changed) != 0 {
		t.Errorf("ReadFile since 1 of 100 removed lines = %v changed and %v removed, want none and %v", r.Changed, r.Removed, want)
	}
	gone := read(t, ws, "f", workspace.ReadOptions{Version: 1, FromLine: r.Removed[0].From, ToLine: r.Removed[0].To})
	if string(gone.Content) != strings.Join(strings.SplitAfter(numbered(600), "\n")[500:], "") {
		t.Errorf("the removed lines are %.80q..., want those of version 1", gone.Content)
	}
}

// Parts read one after the other are the whole file, each no dearer than it may be,
// and none shorter than it has to be.
func TestReadMaxTokensParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		svc, err := workspace.New(memstore.New(), workspace.Options{})
		testkit.Must(t, err)
		defer svc.Close(context.Background())
		ws, _ := svc.Agent("a")
		line := rapid.OneOf(rapid.StringN(0, 30, -1), rapid.StringN(80, 200, -1), rapid.Just(""), rapid.Just("plain words in a row"))
		text := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "\n")
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", []byte(text), workspace.WriteOptions{})))
		most := rapid.IntRange(1, 200).Draw(t, "tokens")
		lines := strings.SplitAfter(text, "\n")
		var read strings.Builder
		for from := 1; ; {
			r, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{MaxTokens: most, FromLine: min(from, max(0, linediff.Lines([]byte(text))))})
			testkit.Must(t, err)
			read.Write(r.Content)
			if n := tokens.EstimateBytes(r.Content); n > most {
				t.Fatalf("a part costs %d tokens, %d are allowed", n, most)
			}
			if !r.Truncated {
				break
			}
			if r.CutBytes > 0 {
				rest := lines[r.ToLine-1][len(r.Content):]
				if r.FromLine != r.ToLine || int64(len(rest)) != r.CutBytes || !utf8.ValidString(rest) {
					t.Fatalf("%d bytes are cut from line %d, want %d, between characters", r.CutBytes, r.ToLine, len(rest))
				}
				read.WriteString(rest)
			} else if next := append(r.Content[:len(r.Content):len(r.Content)], lines[r.ToLine]...); tokens.EstimateBytes(next) < most-2 {
				t.Fatalf("a part ends before line %d, which would fit", r.ToLine+1)
			}
			if from = r.ToLine + 1; from > r.Lines {
				break
			}
		}
		if read.String() != text {
			t.Fatalf("the parts make %q, want %q", read.String(), text)
		}
	})
}

// A cut file can be summarised just if Summarize takes it.
func TestCanSummarize(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          workspace.ReadOptions
		want       bool
	}{
		{"long", numbered(300), workspace.ReadOptions{MaxTokens: 100}, true},
		{"lines of a long one", numbered(300), workspace.ReadOptions{MaxTokens: 100, FromLine: 2}, true},
		{"long, not cut", numbered(300), workspace.ReadOptions{}, false},
		{"old version of a long one", numbered(300), workspace.ReadOptions{MaxTokens: 100, Version: 1}, false},
		{"short", numbered(100), workspace.ReadOptions{MaxTokens: 100}, false},
		{"few characters of three bytes", strings.Repeat("記憶體\n", 2000), workspace.ReadOptions{MaxTokens: 100}, false},
	} {
		ws := newWorkspace(t, workspace.Options{Summarizer: new(model).local()})
		write(t, ws, "f", numbered(300))
		write(t, ws, "f", c.text)
		if got := read(t, ws, "f", c.o).CanSummarize; got != c.want {
			t.Errorf("%s: CanSummarize is %v", c.name, got)
		}
	}
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "f", numbered(300))
	if read(t, ws, "f", workspace.ReadOptions{MaxTokens: 100}).CanSummarize {
		t.Error("CanSummarize is true without a Summarizer")
	}
}

// An extent says how much there is to read, and does not count as a read.
func TestExtent(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, text := range []string{"one", "the longest", "two"} {
		write(t, ws, "f", text)
	}
	before := usage(t, ws).Operations
	for path, want := range map[string]workspace.Extent{"f": {Version: 3, Bytes: 3, Largest: 11}, "none": {}} {
		if got, err := ws.FileExtent(t.Context(), path); err != nil || got != want {
			t.Errorf("FileExtent(%s) = %+v, %v, want %+v", path, got, err, want)
		}
	}
	_, err := ws.FileExtent(t.Context(), "../f")
	wantErr(t, "FileExtent of a bad path", err, workspace.ErrInvalid)
	if got := usage(t, ws).Operations - 1; got != before { // Usage counts itself
		t.Errorf("%d operations, want %d as before", got, before)
	}
}

// runbook has a heading in front matter, in fences, in HTML and in a quotation, none of which
// begins a section.
const runbook = "---\nsetup: no\n# Setup\n---\n" +
	"# Runbook\n\nintro\n\n" + // 5
	"## Rotate the `TLS` *certificates* ##\n\n1. step\n\n" + // 9
	"```sh\n## Restart\n```\n~~~\n# Rotate\n~~~\n" + // 13
	"<!--\n## Restart\n-->\n> ## Restart\n\n" + // 19
	"### Détails\n\nmore\n\n" + // 24
	"Restart\n-------\n\nnow\n" + // 28
	"## 数据库 备份\n\n每天\n" + // 32
	"#### Deep\n" + // 35
	"## Setup\none\n## setup\ntwo\n" + // 36
	"# End\nlast" // 40

func TestReadSection(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "r.md", runbook)
	write(t, ws, "r.md", strings.ReplaceAll(runbook, "\n", "\r\n"))
	lines := strings.SplitAfter(runbook, "\n")
	for heading, want := range map[string][2]int{
		"Rotate the TLS certificates":        {9, 27},
		"## rotate the TLS CERTIFICATES":     {9, 27},
		"Rotate  the `TLS` **certificates**": {9, 27},
		"details":                            {24, 27},
		"DÉTAILS":                            {24, 27},
		"Restart":                            {28, 31},
		"数据库 备份":                             {32, 35},
		"Deep":                               {35, 35},
		"Runbook":                            {5, 39},
		"End":                                {40, 41},
	} {
		for _, version := range []int64{2, 1} {
			r, err := ws.ReadFile(t.Context(), "r.md", workspace.ReadOptions{Section: heading, Version: version})
			testkit.Must(t, err)
			text := strings.ReplaceAll(string(r.Content), "\r", "")
			if got := [2]int{r.FromLine, r.ToLine}; got != want || r.Section != (workspace.LineRange{From: got[0], To: got[1]}) || text != strings.Join(lines[want[0]-1:want[1]], "") {
				t.Errorf("section %q has the lines %v, section %v, %q, want the lines %v", heading, got, r.Section, text, want)
			}
		}
	}
	r, err := ws.ReadFile(t.Context(), "r.md", workspace.ReadOptions{Section: "Runbook", MaxTokens: 20})
	if err != nil || !r.Truncated || r.FromLine != 5 || r.ToLine >= 39 || r.Section.To != 39 {
		t.Errorf("a section over the bound has the lines %d-%d of %v, %v", r.FromLine, r.ToLine, r.Section, err)
	}
}

func TestReadSectionRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "r.md", runbook)
	write(t, ws, "none.md", "no heading")
	write(t, ws, "many.md", strings.Repeat("# Again\n", 5000)+"# x")
	for _, c := range []struct {
		path string
		o    workspace.ReadOptions
		kind error
		says []string
	}{
		{"r.md", workspace.ReadOptions{Section: "setup"}, workspace.ErrInvalid,
			[]string{`several sections have this heading: "## Setup" in lines 36-37, "## setup" in lines 38-39; read one with FromLine and ToLine`}},
		{"r.md", workspace.ReadOptions{Section: "Rotate certificates"}, workspace.ErrNotFound,
			[]string{"no section has this heading; the nearest are \"## Rotate the `TLS` *certificates* ##\" in lines 9-27, "}},
		{"r.md", workspace.ReadOptions{Section: "备份"}, workspace.ErrNotFound, []string{`"## 数据库 备份" in lines 32-35`}},
		{"none.md", workspace.ReadOptions{Section: "x"}, workspace.ErrNotFound, []string{"the file has no headings; read it without Section"}},
		{"r.md", workspace.ReadOptions{Section: "zzz"}, workspace.ErrNotFound,
			[]string{`no section has this heading; the nearest are "# Runbook" in lines 5-39, `, `"Restart" in lines 28-31`}},
		{"many.md", workspace.ReadOptions{Section: "again"}, workspace.ErrInvalid, []string{`"# Again" in lines 5-5; read one`}},
		{"many.md", workspace.ReadOptions{Section: "agains"}, workspace.ErrNotFound, []string{`"# Again" in lines 5-5`}},
		{"none.md", workspace.ReadOptions{Section: "x\ny"}, workspace.ErrNotFound, nil},
		{"absent.md", workspace.ReadOptions{Section: "x"}, workspace.ErrNotFound, nil},
		{"r.md", workspace.ReadOptions{Section: "End", FromLine: 1}, workspace.ErrInvalid, []string{"Section excludes Since, FromLine and ToLine"}},
		{"r.md", workspace.ReadOptions{Section: "End", Since: 1}, workspace.ErrInvalid, []string{"Section excludes Since"}},
	} {
		_, err := ws.ReadFile(t.Context(), c.path, c.o)
		wantErr(t, fmt.Sprintf("ReadFile(%s, %q)", c.path, c.o.Section), err, c.kind, c.says...)
	}
}

// TestReadBoundIsExact reads texts in many languages and forms with a bound, and counts the body.
// It is never over the bound, and never under nine tenths of the bound less the next line.
func TestReadBoundIsExact(t *testing.T) {
	kinds := hostileKinds()
	maps.Copy(kinds, textKinds(t))
	maps.Copy(kinds, languageKinds())
	names := slices.Sorted(maps.Keys(kinds))
	ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count})
	check := func(t rapid.TB, name, text string, most int) {
		_, err := ws.WriteFile(context.Background(), "f", []byte(text), workspace.WriteOptions{})
		testkit.Must(t, err)
		r, err := ws.ReadFile(context.Background(), "f", workspace.ReadOptions{MaxTokens: most})
		testkit.Must(t, err)
		got := o200k.Count(string(r.Content))
		if got > most {
			t.Fatalf("%s: with a bound of %d tokens, the body has %d", name, most, got)
		}
		if !r.Truncated {
			return
		}
		rest := text[len(r.Content):]
		next := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 && r.CutBytes == 0 {
			next = rest[:i+1]
		} else if r.CutBytes > 0 {
			next = string([]rune(rest)[:1])
		}
		if low := most*9/10 - o200k.Count(next); got < low {
			t.Fatalf("%s: with a bound of %d tokens, the body has %d, and the next line %d", name, most, got, o200k.Count(next))
		}
	}
	for i, name := range names {
		if i%4 == 0 && !testing.Short() || i%16 == 0 || testkit.Long() {
			r := rand.New(rand.NewPCG(2, 0))
			check(t, name, strings.Join(drawLines(r, 1000, kinds[name]), "\n"), 2000)
			check(t, name, strings.Join(drawLines(r, 600, kinds[name]), " "), 1000)
		}
	}
	testkit.ScaleChecks(t, testkit.Pick(8, 8, 20), 1)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		name := pick(names...).Draw(t, "text")
		text := drawText(t, r, kinds[name], kinds[pick(names...).Draw(t, "other")])
		check(t, name, strings.Join(text, pick("\n", "\n", "\n\n", "\r\n", "\n   \n/", " ", "").Draw(t, "end")),
			pick(1, 10, 100, 1000, 5000).Draw(t, "bound"))
	})
}

// TestReadBoundOfOneWord reads a word of a megabyte with a bound: a tokenizer alone would need
// minutes.
func TestReadBoundOfOneWord(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count})
	size := 1_000_000
	if testing.Short() {
		size = 100_000
	}
	parts := []string{"a", "ລາວ", "\n", "=", " ", "\u4e2d", "ab1"}
	for i, part := range parts[:testkit.Pick(3, 3, 7)] {
		text := bytes.Repeat([]byte(part), size/len(part))
		write(t, ws, "f", string(text))
		for _, most := range []int{1, 100, 20_000} {
			r := read(t, ws, "f", workspace.ReadOptions{MaxTokens: most})
			if got := o200k.Count(string(r.Content[:min(len(r.Content), 4000)])); got > most {
				t.Errorf("%q: the first bytes have %d tokens, the bound is %d", part, got, most)
			}
		}
		half := len(text) / len(part) / 2 * len(part)
		write(t, ws, "f", string(text[:half])+"\n"+string(text[half:]))
		read(t, ws, "f", workspace.ReadOptions{Since: int64(2*i + 1), MaxTokens: 100})
	}
}

// TestSearchBoundIsExact searches texts in many languages, and counts the lines as they are sent,
// after paths of an older version or of another memory. They are never over the bound with the totals,
// and never under nine tenths of the bound less the next line.
func TestSearchBoundIsExact(t *testing.T) {
	kinds := languageKinds()
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		if i%2 != 0 && !testkit.Long() {
			continue
		}
		ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count, KeepDeleted: time.Hour})
		for j, line := range drawLines(rand.New(rand.NewPCG(2, 0)), 60, kinds[name]) {
			path := fmt.Sprintf("notes/a-long-name/%d", j)
			write(t, ws, path, "needle "+line)
			if j%3 > 0 {
				remove(t, ws, path)
			}
		}
		lines := func(most int) (all []string, r workspace.SearchResult) {
			r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{History: true, Limit: 50, MaxTokens: most, Under: "~/"})
			testkit.Must(t, err)
			for _, h := range r.Hits {
				all = append(all, string(h.AppendLine([]byte("~/"))))
			}
			return all, r
		}
		every, _ := lines(-1)
		for _, most := range []int{40, 100, 600} {
			got, r := lines(most)
			record := fmt.Sprintf(`{"count":%d,"total":%d,"has_more":true,"cut":"600 tokens"}`, len(got), r.Total)
			n := o200k.Count(record + "\n" + strings.Join(got, "\n"))
			if n > most {
				t.Errorf("%s: with a bound of %d tokens, the answer has %d", name, most, n)
			}
			if low := most*9/10 - o200k.Count(every[min(len(got), len(every)-1)]); r.Cut > 0 && n < low {
				t.Errorf("%s: with a bound of %d tokens, the answer has %d", name, most, n)
			}
		}
	}
}

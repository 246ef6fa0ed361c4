package workspace_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestReadLinesRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, test := range []struct {
		content  string
		from, to int
		says     string
	}{
		{"a\nb\n", 3, 0, "the file has 2 lines"},
		{"a\nb\n", 3, 4, "the file has 2 lines"},
		{"a\nb", math.MaxInt, 0, "the file has 2 lines"},
		{"", 1, 1, "the file has 0 lines"},
		{"a\nb\n", 2, 1, "FromLine 2 is after ToLine 1"},
		{"a\nb\n", -1, 1, "FromLine is -1, the least is 1"},
		{"a\nb\n", 1, -1, "ToLine is -1, the least is 1"},
		{"a\nb\n", 0, -1, "ToLine is -1, the least is 1"},
	} {
		write(t, ws, "f", test.content)
		_, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{FromLine: test.from, ToLine: test.to})
		wantErr(t, fmt.Sprintf("lines %d to %d of %q", test.from, test.to, test.content), err, workspace.ErrInvalid, test.says)
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
	for _, texts := range [][2]string{{"", ""}, {"a", ""}, {"", "a"}, {"a\n", "b\n"}, {"a", "a"}, {plan(50), strings.ToUpper(plan(50))}, {plan(50), "x"}} {
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

func TestReadCombinations(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "f", "a\nb\n")
	write(t, ws, "f", "a\nc\n")
	for _, test := range []struct {
		o    workspace.ReadOptions
		says []string
	}{
		{workspace.ReadOptions{Since: 1, Version: 1}, []string{"Since and Version", "exclude"}},
		{workspace.ReadOptions{Since: 1, FromLine: 1}, []string{"Since and FromLine/ToLine", "exclude"}},
		{workspace.ReadOptions{Since: 1, ToLine: 1}, []string{"Since and FromLine/ToLine", "exclude"}},
		{workspace.ReadOptions{MaxTokens: -1}, []string{"MaxTokens is -1"}},
		{workspace.ReadOptions{Context: 1}, []string{"Context needs Since"}},
		{workspace.ReadOptions{Context: -1}, []string{"Context needs Since"}},
		{workspace.ReadOptions{Context: 1, Version: 1}, []string{"Context needs Since"}},
		{workspace.ReadOptions{Since: 1, Context: -2}, []string{"Context is -2", "-1"}},
	} {
		_, err := ws.ReadFile(t.Context(), "f", test.o)
		wantErr(t, fmt.Sprintf("ReadFile(%+v)", test.o), err, workspace.ErrInvalid, test.says...)
	}
}

// What is given and what is returned is nobody else's.
func TestContentIsCopied(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	content, entry := []byte("content"), []byte("entry")
	testkit.Must(t, failure(ws.WriteFile(t.Context(), "f", content, workspace.WriteOptions{})))
	testkit.Must(t, failure(ws.AppendLog(t.Context(), "f", entry)))
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

package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

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
	write(t, ws, "many.md", strings.Repeat("# Again\n", 100_000)+"# x")
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
			[]string{`no section has a heading like that; the first are "# Runbook" in lines 5-39, `, `"Restart" in lines 28-31`}},
		{"many.md", workspace.ReadOptions{Section: "again"}, workspace.ErrInvalid, []string{`"# Again" in lines 5-5; read one`}},
		{"many.md", workspace.ReadOptions{Section: "agains"}, workspace.ErrNotFound, []string{`"# Again" in lines 5-5`}},
		{"none.md", workspace.ReadOptions{Section: "x\ny"}, workspace.ErrNotFound, nil},
		{"absent.md", workspace.ReadOptions{Section: "x"}, workspace.ErrNotFound, nil},
		{"r.md", workspace.ReadOptions{Section: "End", FromLine: 1}, workspace.ErrInvalid, []string{"Section and FromLine exclude each other"}},
		{"r.md", workspace.ReadOptions{Section: "End", Since: 1}, workspace.ErrInvalid, []string{"Section and Since exclude"}},
	} {
		_, err := ws.ReadFile(t.Context(), c.path, c.o)
		wantErr(t, fmt.Sprintf("ReadFile(%s, %q)", c.path, c.o.Section), err, c.kind, c.says...)
	}
}

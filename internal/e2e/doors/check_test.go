package doors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// check compares the memory with what the writers were told. id was that of the shared file
// before they began.
func (h *house) check(writers []*writer, observer *rest, id string) {
	h.t.Helper()
	path := *h.shared.Load()
	file, err := h.ws.ReadFile(h.t.Context(), path, workspace.ReadOptions{})
	must(h.t, err)
	h.checkLines(writers, string(file.Content))
	for _, w := range writers {
		if got, err := w.door.read(h.t.Context(), path); err != nil || got != string(file.Content) {
			h.t.Errorf("%s reads %q, %v; want what the database has: %q", w.name, got, err, file.Content)
		}
	}
	h.checkIDs(observer, id, path)
	journal := h.journal()
	h.checkAuthors(writers, journal)
	h.checkVersions(journal, path)
	process.Run(h.t, scratchpadPath, "verify", "--db", h.db)
}

// checkLines checks that each line that was acknowledged is there once, and no other.
func (h *house) checkLines(writers []*writer, content string) {
	h.t.Helper()
	want := []string{firstLine}
	for _, w := range writers {
		want = append(want, w.lines...)
	}
	got := strings.SplitAfter(strings.TrimSuffix(content, "\n"), "\n")
	got[len(got)-1] += "\n"
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("the lines of the shared file, - acknowledged, + there:\n%s", diff)
	}
}

// checkIDs checks that the shared file has kept its id through all changes and moves.
func (h *house) checkIDs(observer *rest, id, path string) {
	h.t.Helper()
	var one memory
	must(h.t, observer.do(h.t.Context(), "GET", "/memories/"+id, nil, &one))
	if one.Path != "/"+path || path == firstPath {
		h.t.Errorf("the memory %s is at %s, want /%s, where it was moved to", id, one.Path, path)
	}
	listed, err := observer.find(h.t.Context(), path)
	if err != nil || listed != id {
		h.t.Errorf("the list says %q, %v; want %q", listed, err, id)
	}
}

// journal returns all rows, the oldest first. They must have no gap.
func (h *house) journal() []workspace.Change {
	h.t.Helper()
	var all []workspace.Change
	for before := int64(0); ; {
		page, err := h.ws.ChangeLog(h.t.Context(), workspace.ChangeLogQuery{Before: before})
		must(h.t, err)
		all = append(all, page.Changes...)
		if before = page.Next; before == 0 {
			break
		}
	}
	slices.Reverse(all)
	for i, c := range all {
		if c.Revision != int64(i+1) {
			h.t.Fatalf("row %d of the journal has the revision %d", i+1, c.Revision)
		}
	}
	return all
}

// checkAuthors checks that the journal has one row for each acknowledged change, by its
// writer and in its order.
func (h *house) checkAuthors(writers []*writer, journal []workspace.Change) {
	h.t.Helper()
	told := map[workspace.Author][]act{{}: {{workspace.OpCreate, firstPath, ""}}}
	for _, w := range writers {
		told[w.author] = w.told
	}
	rows := map[workspace.Author][]act{}
	for _, c := range journal {
		who := workspace.Author{Client: c.Author.Client, Key: c.Author.Key}
		a := act{c.Op, c.Path, c.From}
		if c.Op == workspace.OpEdit && isShared(c.Path) {
			a.path = firstPath
		}
		rows[who] = append(rows[who], a)
	}
	if diff := cmp.Diff(told, rows, cmp.AllowUnexported(act{})); diff != "" {
		h.t.Errorf("changes by author, - acknowledged, + in the journal:\n%s", diff)
	}
}

func isShared(path string) bool { return strings.HasPrefix(path, "shared") }

// checkVersions checks that the versions of the shared file have no gap, in the journal and
// in what is kept.
func (h *house) checkVersions(journal []workspace.Change, path string) {
	h.t.Helper()
	last := int64(0)
	for _, c := range journal {
		if !isShared(c.Path) {
			continue
		}
		if c.Before != last || c.After != last+1 {
			h.t.Errorf("revision %d: %s of %s from version %d to %d, want from %d to the next", c.Revision, c.Op, c.Path, c.Before, c.After, last)
		}
		last = c.After
	}
	kept, err := h.ws.History(h.t.Context(), path)
	must(h.t, err)
	var numbers []string
	for i, v := range kept {
		if v.Version != int64(i+1) {
			numbers = append(numbers, fmt.Sprint(v.Version))
		}
	}
	if int64(len(kept)) != last || numbers != nil {
		h.t.Errorf("%d versions are kept, of which %v are in the wrong place; want 1 to %d", len(kept), numbers, last)
	}
}

package transfer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/internal/transfer"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// drawText draws UTF-8 of any kind.
func drawText(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "\x00", "a\r\nb\r\n", "no newline", "\n", "\u2028</script>\ufeff", "\U0001f600\xef\xbf\xbd", strings.Repeat("x\n", 3000)}),
	).Draw(t, "text")
}

// fill gives an agent files with histories, logs, deletions and trims.
func fill(t *rapid.T, ws *workspace.Workspace) {
	ctx := context.Background()
	paths := rapid.SliceOfN(rapid.Custom(drawPath), 1, 12).Draw(t, "paths")
	path := rapid.SampledFrom(paths)
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		p := path.Draw(t, "path")
		by := ws.As(workspace.Author{Client: rapid.SampledFrom([]string{"", "c", "d\x00"}).Draw(t, "client"), Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key")})
		switch rapid.IntRange(0, 10).Draw(t, "step") {
		case 0, 1, 2, 3:
			write(t, by, p, drawText(t))
		case 4, 5, 6, 7:
			appendLog(t, by, p, drawText(t))
		case 8:
			_, err := ws.DeleteFile(ctx, p, workspace.DeleteOptions{})
			must(t, err)
		case 10:
			if _, err := by.RedactVersion(ctx, p, rapid.Int64Range(1, 4).Draw(t, "version"), workspace.RedactOptions{}); !isKind(err, nil, workspace.ErrNotFound, workspace.ErrConflict) {
				must(t, err)
			}
		case 9:
			if page, err := ws.ReadLog(ctx, p, workspace.ReadLogOptions{}); err == nil && len(page.Entries) > 0 {
				_, err = ws.TrimLog(ctx, p, page.Entries[0].ID, workspace.DeleteOptions{})
				must(t, err)
			}
		}
	}
}

// What is exported and imported into an agent that is new has the same bytes, numbers,
// authors and times. An export of that one is the same again, and a second import changes
// nothing.
func TestRoundTrip(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(tester) (workspace.Store, func())) {
		base, n := t.TempDir(), 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			dir, again := filepath.Join(base, fmt.Sprint(n)), filepath.Join(base, fmt.Sprint(n, "-again"))
			defer os.RemoveAll(dir)
			defer os.RemoveAll(again)
			store, done := open(t)
			defer done()
			from := agent(t, store, "from", workspace.Options{Limits: workspace.Limits{Versions: 4}})
			fill(t, from)
			versions := rapid.Bool().Draw(t, "versions")
			export(t, from, dir, versions)

			other, otherDone := open(t)
			defer otherDone()
			to := agent(t, other, "to", workspace.Options{})
			dry, err := transfer.Import(context.Background(), to, dir, transfer.ImportOptions{DryRun: true})
			must(t, err)
			if left := state(t, to, true); len(left) > 0 {
				t.Fatalf("a dry run stored %q", left)
			}
			done1 := importAll(t, to, dir)
			if diff := cmp.Diff(state(t, from, versions), state(t, to, true)); diff != "" {
				t.Fatalf("after the import (-want +got):\n%s", diff)
			}
			for i, c := range done1.Changes {
				c.Version = 0
				if i >= len(dry.Changes) || dry.Changes[i] != c {
					t.Errorf("the dry run said %+v, and the import did %+v", dry.Changes, done1.Changes)
				}
			}
			if second := importAll(t, to, dir); len(second.Changes) > 0 || len(second.LeftOut) > 0 {
				t.Fatalf("a second import did %+v", second)
			}
			if own := importAll(t, from, dir); len(own.Changes) > 0 {
				t.Fatalf("an import into the agent of the export did %+v", own)
			}
			export(t, to, again, versions)
			if diff := cmp.Diff(tree(t, dir), tree(t, again)); diff != "" {
				t.Fatalf("the export of what was imported (-first +second):\n%s", diff)
			}
		})
	})
}

// A file of 1 MiB and a log of many pages come back.
func TestRoundTripLarge(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(tester) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		from, to := agent(t, store, "from", workspace.Options{}), agent(t, store, "to", workspace.Options{})
		for i := range 3 {
			write(t, from, "large", strings.Repeat(string(rune('a'+i)), 1<<20))
		}
		var entries [][]byte
		for i := range 1100 {
			entries = append(entries, fmt.Append(nil, "entry ", i%7))
		}
		entries = append(entries, []byte(strings.Repeat("\x00", 64<<10)))
		_, err := from.AppendLog(t.Context(), "log", entries...)
		must(t, err)
		dir := filepath.Join(t.TempDir(), "x")
		var last, total int64
		sum, err := transfer.Export(t.Context(), from, dir, transfer.ExportOptions{Versions: true, Progress: func(d, all int64) { last, total = d, all }})
		must(t, err)
		if sum.Files != 1 || sum.Versions != 3 || sum.Entries != 1101 || last != sum.Bytes || total != sum.Bytes {
			t.Errorf("Export = %+v, progress %d of %d", sum, last, total)
		}
		r, err := transfer.Import(t.Context(), to, dir, transfer.ImportOptions{Progress: func(d, all int64) { last, total = d, all }})
		must(t, err)
		if diff := cmp.Diff(state(t, from, true), state(t, to, true)); diff != "" || last != total || len(r.Changes) != 2 {
			t.Errorf("progress %d of %d, changes %+v (-want +got):\n%.2000s", last, total, r.Changes, diff)
		}
	})
}

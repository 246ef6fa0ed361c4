package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// secrets are the canaries of a history: each is in one version alone, until a restore or a
// move writes its text again.
type secrets struct {
	ws    *workspace.Workspace
	in    map[string]map[int64]string // by path and version
	count int
}

// step makes a random call that succeeds or finds nothing.
func (s *secrets) step(t *rapid.T) {
	ctx := context.Background()
	paths := []string{"a", "b", "a/c"}
	path := rapid.SampledFrom(paths).Draw(t, "path")
	version := rapid.Int64Range(1, 12).Draw(t, "version")
	put := func(path string, r workspace.WriteResult, secret string) {
		if s.in[path] == nil {
			s.in[path] = map[int64]string{}
		}
		s.in[path][r.Version] = secret
	}
	var err error
	switch rapid.SampledFrom([]string{"write", "write", "write", "redact", "redact", "redact", "summarize", "restore", "move", "delete"}).Draw(t, "step") {
	case "write":
		s.count++
		secret := fmt.Sprintf("canary-%04d-", s.count)
		var r workspace.WriteResult
		key := rapid.SampledFrom([]string{"", secret}).Draw(t, "key")
		r, err = s.ws.WriteFile(ctx, path, []byte(strings.Repeat(secret+" is a line of the text.\n", 250)), workspace.WriteOptions{IdempotencyKey: strings.ReplaceAll(key, "canary", "key")})
		put(path, r, secret)
	case "redact":
		if _, err = s.ws.RedactVersion(ctx, path, version, workspace.RedactOptions{}); err == nil {
			delete(s.in[path], version)
		}
	case "summarize":
		_, err = s.ws.Summarize(ctx, path, workspace.SummarizeOptions{})
	case "restore":
		var r workspace.WriteResult
		if r, err = s.ws.RestoreFile(ctx, path, workspace.RestoreOptions{Version: version}); err == nil {
			put(path, r, s.in[path][version])
		}
	case "move":
		to := rapid.SampledFrom(paths).Filter(func(p string) bool { return p != path }).Draw(t, "to")
		var r workspace.MoveResult
		if r, err = s.ws.MoveFile(ctx, path, to, workspace.MoveOptions{}); err == nil {
			// The new path may have had higher numbers.
			s.in[path][r.Version] = s.in[path][slices.Max(slices.Collect(maps.Keys(s.in[path])))]
			s.in[to], s.in[path] = s.in[path], nil
		}
	case "delete":
		_, err = s.ws.DeleteFile(ctx, path, workspace.DeleteOptions{})
		s.in[path] = nil
	}
	if err != nil && !isKind(err, workspace.ErrNotFound, workspace.ErrConflict, workspace.ErrInvalid) {
		t.Fatalf("%v", err)
	}
}

// left returns the canaries of versions that are still kept: none other may be found.
func (s *secrets) left(t *rapid.T) map[string]bool {
	left := map[string]bool{}
	for path, versions := range s.in {
		history, err := s.ws.History(context.Background(), path)
		if errors.Is(err, workspace.ErrNotFound) {
			continue
		}
		testkit.Must(t, err)
		for _, v := range history {
			if v.Redacted == nil {
				left[versions[v.Version]] = true
			} else if versions[v.Version] != "" {
				t.Errorf("%s has version %d redacted, which nobody did", path, v.Version)
			}
		}
	}
	return left
}

// Of what was redacted, nothing is left that a reader of the store, a dump, an export with
// all versions, a search or a summary shows.
func TestRedactedIsGone(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		dir := t.TempDir()
		rapid.Check(t, func(t *rapid.T) {
			store, done := open(t)
			defer done()
			s := &secrets{in: map[string]map[int64]string{}, ws: agent(t, store, "a", workspace.Options{
				Limits: workspace.Limits{Versions: 5},
				Summarizer: &workspace.Summarizer{Method: "first", Prompt: "1", Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
					line, _, _ := strings.Cut(r.Content, "\n")
					return workspace.SummaryText{Text: line}, nil
				}},
			})}
			for range rapid.IntRange(3, 40).Draw(t, "steps") {
				s.step(t)
			}
			left := s.left(t)
			for what, text := range s.everything(t, store, filepath.Join(dir, "export")) {
				for n := range s.count {
					if secret := fmt.Sprintf("canary-%04d-", n+1); strings.Contains(text, secret) && !left[secret] {
						t.Errorf("%s shows %s, which was redacted or is not kept", what, secret)
					}
				}
			}
		})
	})
}

// everything returns what readers of all kinds show.
func (s *secrets) everything(t *rapid.T, store workspace.Store, dir string) map[string]string {
	ctx := context.Background()
	owner := port.Owner{Tenant: "local", Agent: "a"}
	var rows, read, api strings.Builder
	testkit.Must(t, store.Dump(ctx, owner, func(r port.Row) error {
		if r.Version != nil {
			fmt.Fprintf(&rows, "%s ", r.Version.Content)
		} else if r.Summary != nil {
			fmt.Fprintf(&rows, "%s ", r.Summary.Content)
		}
		return nil
	}))
	testkit.Must(t, store.View(ctx, owner, func(r port.Reader) error {
		page, err := r.Scan(port.ScanQuery{Kind: workspace.KindFile, Limit: 100})
		for _, h := range page.Files {
			all, err1 := r.Load(port.Query{File: h.Path, History: true})
			for _, v := range all.Versions {
				l, err2 := r.Load(port.Query{File: h.Path, Version: v.Number, Since: v.Number, History: true})
				fmt.Fprintf(&read, "%s %s %s ", v.Content, l.Version.Content, l.Old.Content)
				err = errors.Join(err, err2)
			}
			made, err4 := r.Summaries(h.Path)
			for _, m := range made {
				l, err5 := r.Load(port.Query{File: h.Path, Summary: &m.SummaryKey})
				if l.Summary != nil {
					fmt.Fprintf(&read, "%s ", l.Summary.Content)
				}
				err = errors.Join(err, err5)
			}
			err = errors.Join(err, err1, err4)
		}
		return err
	}))
	found, err := s.ws.Search(ctx, "canary", workspace.SearchOptions{})
	testkit.Must(t, err)
	fmt.Fprintf(&api, "%+v ", found)
	changed, err := s.ws.Changes(ctx, workspace.ChangesOptions{Diffs: true})
	testkit.Must(t, err)
	fmt.Fprintf(&api, "%+v ", changed)
	for _, d := range changed.Diffs {
		api.Write(d.Text)
	}
	for path := range s.in {
		if sum, err := s.ws.Summarize(ctx, path, workspace.SummarizeOptions{}); err == nil {
			api.WriteString(sum.Text)
		}
		for n := range int64(13) {
			if r, err := s.ws.ReadFile(ctx, path, workspace.ReadOptions{Since: n, Context: -1}); err == nil {
				fmt.Fprintf(&api, "%s %s ", r.Content, r.DiffJSON)
			}
		}
	}
	defer os.RemoveAll(dir)
	export(t, s.ws, dir, true)
	return map[string]string{"a dump": rows.String(), "a Reader": read.String(), "the workspace": api.String(), "an export": fmt.Sprint(tree(t, dir))}
}

// A manifest whose current version is redacted is refused, and content beside a receipt is
// not read.
func TestImportOfRedacted(t *testing.T) {
	from, to := memory(t, workspace.Options{}), memory(t, workspace.Options{})
	write(t, from, "f", "secret")
	write(t, from, "f", "clean")
	_, err := from.RedactVersion(t.Context(), "f", 1, workspace.RedactOptions{})
	testkit.Must(t, err)
	dir := filepath.Join(t.TempDir(), "x")
	export(t, from, dir, true)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "versions", "f", "%v1"), []byte("put there"), 0o600))
	importAll(t, to, dir)
	if history, err := to.History(t.Context(), "f"); err != nil || len(history) != 2 || history[0].Redacted == nil || history[0].Bytes != 0 {
		t.Errorf("History = %+v, %v, want version 1 redacted", history, err)
	}
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(manifest, []byte(strings.Replace(string(text), `"bytes":5,`, `"redacted":{"time":"2026-01-01T00:00:00Z"},"bytes":5,`, 1)), 0o600))
	_, err = transfer.Import(t.Context(), memory(t, workspace.Options{}), dir, transfer.ImportOptions{})
	if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "is redacted") {
		t.Errorf("Import of a current version that is redacted = %v, want ErrInvalid", err)
	}
}

// The line of a redacted entry says so. An import into the same log finds it there.
func TestRedactedEntryInExport(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		ws, dir := agent(t, store, "a", workspace.Options{}), filepath.Join(t.TempDir(), "out")
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "l", []byte("hunter2"), []byte("x"))))
		testkit.Must(t, testkit.Err(ws.RedactEntry(t.Context(), "l", 1)))
		testkit.Must(t, testkit.Err(transfer.Export(t.Context(), ws, dir, transfer.ExportOptions{})))
		text, err := os.ReadFile(filepath.Join(dir, "logs", "l.jsonl"))
		if testkit.Must(t, err); strings.Count(string(text), `"text":"","redacted":{"time":"`) != 1 {
			t.Errorf("the export has %s", text)
		}
		for name, want := range map[string]int64{"a": 0, "b": 2} {
			r, err := transfer.Import(t.Context(), agent(t, store, name, workspace.Options{}), dir, transfer.ImportOptions{})
			testkit.Must(t, err)
			n := int64(0)
			for _, c := range r.Changes {
				n += c.Entries
			}
			if n != want {
				t.Errorf("Import into %s adds %d entries, want %d", name, n, want)
			}
		}
	})
}

package workspace_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// anyPath draws a path of several scripts, which may not be in NFC.
func anyPath() *rapid.Generator[string] {
	letters := rapid.SampledFrom(strings.Split("a Z 0 _ é e\u0301 Ö u\u0308 ß 記 憶 訙 한 \u1112\u1161\u11ab خ خُ ज जो १ ไ ทำ น้ำ ש 〇 ꙮ \u07ff \u0800 \uffdc \U00010000 \U0002fa1d 𠀀 𐎠", " "))
	joint := rapid.SampledFrom([]string{"", "", "", "", " ", "/", "/", ".", "-"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "letters") {
			b.WriteString(letters.Draw(t, "letter") + joint.Draw(t, "joint"))
		}
		b.WriteString(letters.Draw(t, "letter"))
		return b.String()
	}).Filter(func(name string) bool {
		_, err := workspace.UnicodePaths.Parse(name)
		return err == nil
	})
}

// A path of any script is the same path for every call and in both stores, however its
// characters are put together.
func TestUnicodePathsEverywhere(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		testkit.ScaleChecks(t, 1, 2)
		svc := serviceOn(t, store, workspace.Options{Paths: workspace.UnicodePaths})
		cases := 0
		rapid.Check(t, func(rt *rapid.T) {
			cases++ // a case that failed leaves its files behind
			given := anyPath().Draw(rt, "path")
			path := norm.NFC.String(given)
			agent := fmt.Sprint("agent-", cases)
			ws, err := svc.Agent(agent)
			if err != nil {
				rt.Fatal(err)
			}
			for _, name := range []string{given, norm.NFD.String(given), path} {
				for call, err := range pathCalls(t.Context(), ws, name) {
					if errors.Is(err, workspace.ErrInvalid) {
						rt.Fatalf("%s(%q) = %v", call, name, err)
					}
				}
			}
			useFile(rt, ws, given, path)
			useLog(rt, ws, given, path)
			if _, err := svc.DeleteAgent(t.Context(), agent); err != nil {
				rt.Fatal(err)
			}
		})
	})
}

// useFile writes a file at the path as given, and reads it as it is stored.
func useFile(t *rapid.T, ws *workspace.Workspace, given, path string) {
	ctx := context.Background()
	w, err := ws.WriteFile(ctx, given, []byte("one"), workspace.WriteOptions{IdempotencyKey: "write"})
	again, err2 := ws.WriteFile(ctx, path, []byte("one"), workspace.WriteOptions{IdempotencyKey: "write"})
	e, err3 := ws.EditFile(ctx, norm.NFD.String(path), "one", "two", workspace.EditOptions{})
	if err := errors.Join(err, err2, err3); err != nil || w.Path != path || again != w || e.Path != path {
		t.Fatalf("writing %q: %+v, %+v, %+v, %v; want the path %q, and one write", given, w, again, e, err, path)
	}
	r, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
	r2, err2 := ws.ReadFile(ctx, given, workspace.ReadOptions{Since: w.Version})
	if err := errors.Join(err, err2); err != nil || r.Path != path || r2.Path != path || string(r.Content) != "two" {
		t.Fatalf("reading %q: %q, %q, %q, %v; want the path %q", given, r.Path, r2.Path, r.Content, err, path)
	}
	list, err := ws.ListFiles(ctx, workspace.ListOptions{Prefix: given})
	if err != nil || len(list.Files) != 1 || list.Files[0].Path != path {
		t.Fatalf("ListFiles(%q) = %+v, %v", given, list, err)
	}
	files := workspace.FS(ctx, ws)
	content, err := fs.ReadFile(files, path)
	if err != nil || string(content) != "two" {
		t.Fatalf("ReadFile(%q) of the FS = %q, %v", path, content, err)
	}
	if given != path {
		if _, err := fs.Stat(files, given); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the FS has %q too, which is %q: %v", given, path, err)
		}
	}
	testkit.Must(t, workspace.Saver(ws, given+"-pad").Save(ctx, new(pad.Snapshot)))
	if _, err := ws.ReadFile(ctx, path+"-pad", workspace.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if d, err := ws.DeleteFile(ctx, given, workspace.DeleteOptions{}); err != nil || !d.Deleted || d.Path != path {
		t.Fatalf("DeleteFile(%q) = %+v, %v", given, d, err)
	}
}

// useLog does the same with a log.
func useLog(t *rapid.T, ws *workspace.Workspace, given, path string) {
	ctx := context.Background()
	if _, err := ws.DeleteLog(ctx, path, workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := ws.AppendLog(ctx, given, []byte("one"), []byte("two"))
	page, err2 := ws.ReadLog(ctx, path, workspace.ReadLogOptions{})
	if err := errors.Join(err, err2); err != nil || a.Path != path || page.Path != path || len(page.Entries) != 2 {
		t.Fatalf("log %q: %+v, %+v, %v", given, a, page, err)
	}
	list, err := ws.ListLogs(ctx, workspace.ListOptions{Prefix: given})
	if err != nil || len(list.Logs) != 1 || list.Logs[0].Path != path {
		t.Fatalf("ListLogs(%q) = %+v, %v", given, list, err)
	}
	if d, err := ws.TrimLog(ctx, given, a.Last, workspace.DeleteOptions{}); err != nil || d.Path != path || d.Removed != 2 {
		t.Fatalf("TrimLog(%q) = %+v, %v", given, d, err)
	}
	if d, err := ws.DeleteLog(ctx, given, workspace.DeleteOptions{}); err != nil || d.Path != path || !d.Deleted {
		t.Fatalf("DeleteLog(%q) = %+v, %v", given, d, err)
	}
	j := workspace.Journal(ws, given)
	testkit.Must(t, j.Append(ctx, conversation.Record{Kind: conversation.SummaryRecord, Summary: "all", Through: 1}))
	records := 0
	for _, err := range workspace.Journal(ws, path).Records(ctx, 0) {
		testkit.Must(t, err)
		records++
	}
	if records != 1 {
		t.Fatalf("the journal at %q has %d records at %q", given, records, path)
	}
}

// listed returns all pages of a list.
func listed(t fatal, ws *workspace.Workspace, prefix string, limit int) (paths []string) {
	o := workspace.ListOptions{Prefix: prefix, Limit: limit}
	for {
		list, err := ws.ListFiles(context.Background(), o)
		if err != nil {
			t.Fatalf("ListFiles(%+v) = %v", o, err)
		}
		for _, f := range list.Files {
			paths = append(paths, f.Path)
		}
		if o.After = list.Next; !list.More {
			return paths
		}
	}
}

type fatal interface{ Fatalf(string, ...any) }

// Where the rule is that of ASCII, what another service has written is listed, and can
// be deleted with its agent. All else is refused with the rule that allows it.
func TestUnicodePathsByASCII(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		wide := serviceOn(t, store, workspace.Options{Paths: workspace.UnicodePaths})
		narrow := serviceOn(t, store, workspace.Options{})
		paths := []string{"plan.md", "my notes/a", "naïve", "記/憶", "記憶"}
		for _, path := range paths {
			ws, _ := wide.Agent("a")
			write(t, ws, path, "text")
			appendLog(t, ws, path, "text")
		}
		slices.Sort(paths)
		ws, err := narrow.Agent("a")
		testkit.Must(t, err)
		if got := listed(t, ws, "", 1); !slices.Equal(got, paths) {
			t.Errorf("the pages of the list are %q, want %q", got, paths)
		}
		entries, err := fs.ReadDir(workspace.FS(t.Context(), ws), "記")
		if err != nil || len(entries) != 1 || entries[0].Name() != "憶" {
			t.Errorf("the folder 記 has %v, %v", entries, err)
		}
		for _, path := range []string{"my notes/a", "naïve", "記憶", "nothing here"} {
			for call, err := range pathCalls(t.Context(), ws, path) {
				wantErr(t, call, err, workspace.ErrInvalid, "allowed are a-z", "UnicodePaths allow it")
				if e := new(*workspace.Error); !errors.As(err, e) || (*e).Way.Do != workspace.DoUnicodePaths {
					t.Errorf("%s(%s) = %v, want the way DoUnicodePaths", call, path, err)
				}
			}
		}
		if _, err := fs.ReadFile(workspace.FS(t.Context(), ws), "naïve"); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("reading naïve by its FS = %v, want the rule", err)
		}
		_, err = ws.ListFiles(t.Context(), workspace.ListOptions{Prefix: "記"})
		wantErr(t, "a prefix", err, workspace.ErrInvalid, "UnicodePaths allow it")
		if _, err := ws.ReadFile(t.Context(), "a🙂", workspace.ReadOptions{}); strings.Contains(err.Error(), "Unicode") {
			t.Errorf("a path that no rule allows is refused with %v", err)
		}
		if found, err := narrow.DeleteAgent(t.Context(), "a"); !found || err != nil {
			t.Errorf("DeleteAgent = %t, %v", found, err)
		}
		if got := listed(t, ws, "", 10); len(got) != 0 {
			t.Errorf("after DeleteAgent there are %q", got)
		}
	})
}

func TestPathRule(t *testing.T) {
	if _, err := workspace.New(newStore(t), workspace.Options{Paths: 2}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("New with a rule that is none = %v, want ErrInvalid", err)
	}
	for rule, want := range map[workspace.PathRule]string{workspace.ASCIIPaths: "ascii", workspace.UnicodePaths: "unicode"} {
		if rule.String() != want {
			t.Errorf("%d is %q, want %q", rule, rule, want)
		}
	}
	p, err := workspace.UnicodePaths.Parse("cafe\u0301")
	if err != nil || p.String() != "café" {
		t.Errorf("Parse = %q, %v", p, err)
	}
	ws := newWorkspace(t, workspace.Options{Paths: workspace.UnicodePaths})
	write(t, ws, "記憶/笔记.md", "x")
	for asked, near := range map[string]string{"記憶/笔日.md": `"記憶/笔记.md"`, "笔记": "", "憶記/一二.md": ""} {
		says := cmp.Or(near, "ListFiles shows")
		wantErr(t, asked, failure(ws.ReadFile(t.Context(), asked, workspace.ReadOptions{})), workspace.ErrNotFound, says)
	}
}

package workspace_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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

// A path of any script is the same path for every call, however its characters are put together.
func TestUnicodePathsEverywhere(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	cases := 0
	rapid.Check(t, func(rt *rapid.T) {
		cases++ // a case that failed leaves its files behind
		given := anyPath().Draw(rt, "path")
		path := norm.NFC.String(given)
		ws, err := svc.Agent(fmt.Sprint("agent-", cases))
		testkit.Must(rt, err)
		for _, name := range []string{given, norm.NFD.String(given), path} {
			for call, err := range pathCalls(t.Context(), ws, name) {
				if errors.Is(err, workspace.ErrInvalid) {
					rt.Fatalf("%s(%q) = %v", call, name, err)
				}
			}
		}
		useFile(rt, ws, given, path)
		useLog(rt, ws, given, path)
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
	list, err := ws.ListFiles(ctx, workspace.ListOptions{Prefix: given})
	if err != nil || len(list.Files) != 1 || list.Files[0].Path != path {
		t.Fatalf("ListFiles(%q) = %+v, %v", given, list, err)
	}
	content, err := fs.ReadFile(workspace.FS(ctx, ws), path)
	if err != nil || string(content) != "two" {
		t.Fatalf("ReadFile(%q) of the FS = %q, %v", path, content, err)
	}
	if _, err := fs.Stat(workspace.FS(ctx, ws), given); given != path && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the FS has %q too, which is %q: %v", given, path, err)
	}
	testkit.Must(t, workspace.Saver(ws, given+"-pad").Save(ctx, new(pad.Snapshot)))
	testkit.Must(t, testkit.Err(ws.ReadFile(ctx, path+"-pad", workspace.ReadOptions{})))
}

// useLog does the same with a log.
func useLog(t *rapid.T, ws *workspace.Workspace, given, path string) {
	ctx := context.Background()
	testkit.Must(t, testkit.Err(ws.DeleteLog(ctx, path, workspace.DeleteLogOptions{})))
	j := workspace.Journal(ws, given)
	testkit.Must(t, j.Append(ctx, conversation.Record{Kind: conversation.SummaryRecord, Summary: "all", Through: 1}))
	a, err := ws.AppendLog(ctx, given, []byte("two"))
	page, err2 := ws.ReadLog(ctx, path, workspace.ReadLogOptions{})
	list, err3 := ws.ListLogs(ctx, workspace.ListOptions{Prefix: given})
	d, err4 := ws.TrimLog(ctx, given, a.Last, workspace.TrimLogOptions{})
	if err := errors.Join(err, err2, err3, err4); err != nil || a.Path != path || page.Path != path || len(page.Entries) != 2 ||
		len(list.Logs) != 1 || list.Logs[0].Path != path || d.Path != path || d.Removed != 2 {
		t.Fatalf("log %q: %+v, %+v, %+v, %+v, %v", given, a, page, list, d, err)
	}
}

// listed returns all pages of a list.
func listed(t rapid.TB, ws *workspace.Workspace, prefix string, limit int) (paths []string) {
	o := workspace.ListOptions{Prefix: prefix, Limit: limit}
	for {
		list, err := ws.ListFiles(context.Background(), o)
		testkit.Must(t, err)
		for _, f := range list.Files {
			paths = append(paths, f.Path)
		}
		if o.After = list.Next; !list.More {
			return paths
		}
	}
}

// Where the rule is that of ASCII, no other path can be made. What another service has made can
// be read, moved and deleted.
func TestUnicodePathsByASCII(t *testing.T) {
	wide, store := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	narrow := serviceOn(t, store, workspace.Options{})
	paths := []string{"my notes/a", "naïve", "plan.md", "記/憶", "記憶"}
	for _, path := range paths {
		ws := agentOf(t, wide, "a")
		write(t, ws, path, "text")
		appendLog(t, ws, path, "text")
	}
	ws := agentOf(t, narrow, "a")
	if got := listed(t, ws, "", 1); !slices.Equal(got, paths) {
		t.Errorf("the pages of the list are %q, want %q", got, paths)
	}
	if got := listed(t, ws, "記", 10); !slices.Equal(got, paths[3:]) {
		t.Errorf("below 記 there are %q", got)
	}
	for _, path := range []string{"my notes/a", "nai\u0308ve", "記憶", "nothing here"} {
		_, moved := ws.MoveFile(t.Context(), "plan.md", path, workspace.MoveOptions{})
		wantRule(t, "MoveFile", moved)
		for call, err := range pathCalls(t.Context(), ws, path) {
			switch {
			case call == "WriteFile" || call == "EditFile" || call == "AppendLog":
				wantRule(t, call, err)
			case path == "nothing here" && call != "ReadLog" && call != "DeleteFile" && call != "DeleteLog":
				wantErr(t, call, err, workspace.ErrNotFound, "ListFiles shows")
			case call != "ReadFile" && call != "History" || !errors.Is(err, workspace.ErrNotFound): // the calls have no order
				testkit.Must(t, err)
			}
		}
	}
	if r := read(t, ws, "記/憶", workspace.ReadOptions{}); string(r.Content) != "text" {
		t.Errorf("記/憶 holds %q", r.Content)
	}
	mustMove(t, ws, "記/憶", "ascii.md")
	if got := listed(t, ws, "", 10); !slices.Equal(got, []string{"ascii.md", "plan.md"}) {
		t.Errorf("there are %q", got)
	}
	if _, err := ws.ReadFile(t.Context(), "a🙂", workspace.ReadOptions{}); strings.Contains(err.Error(), "Unicode") {
		t.Errorf("a path that no rule allows is refused with %v", err)
	}
}

// wantRule checks that a call was refused by the rule for paths, and names the rule that allows
// the path.
func wantRule(t *testing.T, call string, err error) {
	t.Helper()
	wantErr(t, call, err, workspace.ErrInvalid, "allowed are a-z", "UnicodePaths allow it")
	if e := new(*workspace.Error); !errors.As(err, e) || (*e).Way.Do != store.DoUnicodePaths {
		t.Errorf("%s = %v, want the way store.DoUnicodePaths", call, err)
	}
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
	for asked, near := range map[string]string{"記憶/笔日.md": `"記憶/笔记.md"`, "笔记": `"記憶/笔记.md"`, "憶記/一二.md": ""} {
		says := cmp.Or(near, "ListFiles shows")
		wantErr(t, asked, testkit.Err(ws.ReadFile(t.Context(), asked, workspace.ReadOptions{})), workspace.ErrNotFound, says)
	}
}

var (
	goodPath   = regexp.MustCompile(`\A[a-zA-Z0-9_.-]+(/[a-zA-Z0-9_.-]+)*\z`)
	badSegment = regexp.MustCompile(`\.\.|(\A|/)\.(/|\z)`)
)

// validPath is the rule for paths, written another way.
func validPath(name string) bool {
	return len(name) <= 255 && goodPath.MatchString(name) && !badSegment.MatchString(name)
}

func TestParsePath(t *testing.T) {
	for _, test := range []struct{ name, says string }{
		{"", "empty"},
		{strings.Repeat("x", 256), "256 characters, limit 255; use a shorter path"},
		{"/etc/passwd", `begins with a slash; use "etc/passwd"`},
		{"/", "begins with a slash; leave the slash out"},
		{"/" + strings.Repeat("a", 200), "begins with a slash; leave the slash out"},
		{"a/", "ends in a slash"},
		{"a//b", "empty segment (two slashes in a row); leave one slash out"},
		{"..", `it holds ".."; use a path without it`},
		{".", `segment "."; use a path without it`},
		{"scratchpad://a/f", "leave scratchpad://AGENT/ out"},
		{"a b", `byte 2 is ' '`},
		{`a\b`, `byte 2 is '\\'`},
		{"a\x00", `byte 2 is '\x00'`},
		{"naïve", `byte 3 is`},
		{"a*", `byte 2 is '*'`},
		{"a\xff", `byte 2 is`},
	} {
		_, err := workspace.ParsePath(test.name)
		wantErr(t, "ParsePath("+test.name+")", err, workspace.ErrInvalid, test.says)
	}
}

func TestParseAgentID(t *testing.T) {
	for _, name := range []string{"a", "agent-1", "A_b-9", "-", strings.Repeat("x", 128)} {
		id, err := workspace.ParseAgentID(name)
		if err != nil || id.String() != name {
			t.Errorf("ParseAgentID(%q) = %q, %v, want it back", name, id, err)
		}
	}
	svc, _ := newService(t, workspace.Options{})
	for _, test := range []struct{ name, says string }{
		{"", "empty"},
		{strings.Repeat("x", 129), "129 characters, limit 128; use a shorter name"},
		{"a/b", `byte 2 is '/'`},
		{"a b", `byte 2 is ' '`},
		{"é", `byte 1 is`},
		{"a\x00", `byte 2 is '\x00'`},
	} {
		_, err := workspace.ParseAgentID(test.name)
		wantErr(t, "ParseAgentID("+test.name+")", err, workspace.ErrInvalid, test.says)
		_, err = svc.Agent(test.name)
		wantErr(t, "Agent("+test.name+")", err, workspace.ErrInvalid, test.says)
		_, err = svc.DeleteAgent(t.Context(), test.name)
		wantErr(t, "DeleteAgent("+test.name+")", err, workspace.ErrInvalid, test.says)
		if test.name != "" {
			_, err = workspace.New(newStore(t), workspace.Options{Tenant: test.name})
			wantErr(t, "New with the tenant "+test.name, err, workspace.ErrInvalid, test.says)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, name := range []string{"a", "a/b", "a//b", "a/./b", "..", "a..b", "/a", "a/", "", ".a", "a/.b", "é", "a\x00", strings.Repeat("a", 256), strings.Repeat("a", 255), "A_0/b-c", "a."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := workspace.ParsePath(name)
		if (err == nil) != validPath(name) {
			t.Fatalf("ParsePath(%q) = %v, want it accepted: %t", name, err, validPath(name))
		}
		if err != nil {
			if !errors.Is(err, workspace.ErrInvalid) {
				t.Fatalf("ParsePath(%q) = %v, want ErrInvalid", name, err)
			}
			return
		}
		if p.String() != name || !fs.ValidPath(name) {
			t.Fatalf("ParsePath(%q) = %q, which is not what was given, or not a path of io/fs", name, p)
		}
	})
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		there  string // separated by spaces
		asked  string
		near   string // "": none
		reason string
	}{
		{"notes/plan.md notes/plain.txt", "notes/plam.md", "notes/plan.md", "one letter is wrong"},
		{"plan.md", "plann.md", "plan.md", "there is a letter too many"},
		{"plann.md", "plan.md", "plann.md", "a letter is missing"},
		{"notes/plan.md", "Notes/Plan.md", "notes/plan.md", "the case is wrong"},
		{"notes/plan.md", "plan.md", "notes/plan.md", "the folder is missing"},
		{"plan.md", "home/me/plan.md", "plan.md", "there is a folder too many"},
		{"docs/plan.md", "notes/plan.md", "docs/plan.md", "the folder is another"},
		{"plan.md plans", "plan", "plans", "a letter is missing, which is less than an extension"},
		{"plan.md", "plan", "plan.md", "the extension is missing"},
		{"runs/1 runs/3", "runs/2", "runs/1", "two are as near: the first"},
		{"a b c", "z", "", "a name of one letter is another one"},
		{"budget.csv todo", "plan.md", "", "nothing is like it"},
		{"", "plan.md", "", "there is nothing"},
		{"notes/plan.md", "notes/2026/11/plans/quarter.md", "", "only the folder is the same"},
	} {
		ws := newWorkspace(t, workspace.Options{})
		for _, path := range strings.Fields(c.there) {
			write(t, ws, path, "x")
			appendLog(t, ws, path, "x")
		}
		says := "there is no such file; ListFiles shows"
		if c.near != "" {
			says = "there is no such file; the nearest name is " + c.near + ":"
		}
		for op, err := range map[string]error{
			"ReadFile": testkit.Err(ws.ReadFile(t.Context(), c.asked, workspace.ReadOptions{})),
			"EditFile": testkit.Err(ws.EditFile(t.Context(), c.asked, "x", "y", workspace.EditOptions{})),
			"History":  testkit.Err(ws.History(t.Context(), c.asked)),
		} {
			wantErr(t, fmt.Sprintf("%s(%s) of %q, where %s", op, c.asked, c.there, c.reason), err, workspace.ErrNotFound, says)
		}
		if page := readLog(t, ws, c.asked, workspace.ReadLogOptions{}); page.Exists || page.Nearest != c.near {
			t.Errorf("ReadLog(%s) of %q exists: %v, nearest %q, want %q", c.asked, c.there, page.Exists, page.Nearest, c.near)
		}
	}
}

// The hint for a file that is a log, or the other way round, says so.
func TestNameOfTheOtherKind(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "file", "x")
	write(t, ws, "logs", "x")
	appendLog(t, ws, "log", "x")
	_, err := ws.ReadFile(t.Context(), "log", workspace.ReadOptions{})
	wantErr(t, "ReadFile of a log", err, workspace.ErrNotFound, "there is no such file, but a log of this name; use ReadLog:")
	for path, isFile := range map[string]bool{"file": true, "log": false, "none": false} {
		if page := readLog(t, ws, path, workspace.ReadLogOptions{}); page.IsFile != isFile || page.Nearest != "" || page.Exists != (path == "log") {
			t.Errorf("ReadLog(%s) = %+v, want IsFile %v and no name", path, page, isFile)
		}
	}
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "log", workspace.DeleteLogOptions{})))
	_, err = ws.ReadFile(t.Context(), "log", workspace.ReadOptions{})
	wantErr(t, "ReadFile of a deleted log", err, workspace.ErrNotFound, "the nearest name is logs:")
}

// No hint names what another agent has, nor what was deleted.
func TestNearestIsOnesOwn(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	other, ws := agentOf(t, svc, "other"), agentOf(t, svc, "a")
	write(t, other, "secret.md", "x")
	appendLog(t, other, "secret.md", "x")
	write(t, ws, "secrets.md", "x")
	appendLog(t, ws, "secrets.md", "x")
	for _, remove := range []func() error{
		func() error {
			return testkit.Err(ws.DeleteFile(t.Context(), "secrets.md", workspace.DeleteOptions{}))
		},
		func() error {
			return testkit.Err(ws.DeleteLog(t.Context(), "secrets.md", workspace.DeleteLogOptions{}))
		},
	} {
		testkit.Must(t, remove())
	}
	_, err := ws.ReadFile(t.Context(), "secret.md", workspace.ReadOptions{})
	wantErr(t, "a file that only another agent has", err, workspace.ErrNotFound, "ListFiles")
	if page := readLog(t, ws, "secret.md", workspace.ReadLogOptions{}); page.Nearest != "" {
		t.Errorf("the nearest of a log that only another agent has is %q, want none", page.Nearest)
	}
}

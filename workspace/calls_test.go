package workspace_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

// TestCalls makes random calls for two agents, on a store and on a model. The results,
// the kinds of errors, and the usage of both agents must be the same.
func TestCalls(t *testing.T) {
	t.Run("memstore", func(t *testing.T) {
		testkit.ScaleChecks(t, 3, 1)
		seen := map[string]int{}
		rapid.Check(t, func(rt *rapid.T) {
			store := memstore.New()
			defer store.Close()
			runCalls(rt, &machine{store: store, tenant: "case", seen: seen})
		})
		wantSeen(t, seen)
	})
	t.Run("each function runs twice", func(t *testing.T) {
		testkit.SkipInShort(t)
		rapid.Check(t, func(rt *rapid.T) {
			store := storetest.Rerun(memstore.New())
			defer store.Close()
			runCalls(rt, &machine{store: store, tenant: "case", seen: map[string]int{}})
		})
	})
	t.Run("sqlite", func(t *testing.T) {
		testkit.ScaleChecks(t, 1, 3)
		path := filepath.Join(t.TempDir(), "scratchpad.db")
		open := func() workspace.Store {
			store, err := sqlite.Open(context.Background(), path, sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
			testkit.Must(t, err)
			return store
		}
		callsOn(t, open)
	})
}

// TestCallsOnPostgres is TestCalls on PostgreSQL.
func TestCallsOnPostgres(t *testing.T) {
	testkit.SkipInShort(t)
	testkit.ScaleChecks(t, 1, 10)
	url := pgtest.URL(t)
	open := func() workspace.Store {
		store, err := postgres.Open(context.Background(), url, postgres.Options{})
		testkit.Must(t, err)
		return store
	}
	callsOn(t, open)
}

// callsOn makes the calls on a store that is opened again now and then.
func callsOn(t *testing.T, open func() workspace.Store) {
	store := open()
	defer func() { store.Close() }()
	cases := 0
	rapid.Check(t, func(rt *rapid.T) {
		cases++
		m := &machine{store: store, open: open, tenant: fmt.Sprintf("case-%d", cases), seen: map[string]int{}}
		defer func() { store = m.store }()
		runCalls(rt, m)
	})
}

// A machine is a service with two agents, and the model of both.
type machine struct {
	store  workspace.Store
	open   func() workspace.Store // nil: what is closed is lost
	svc    *workspace.Service
	tenant string
	clock  *testkit.Clock
	limits workspace.Limits
	keep   time.Duration // of deleted files
	agents map[string]*agent
	calls  []made         // those that carried a key
	seen   map[string]int // what the calls of all cases came to
}

// made is a call and its agent.
type made struct {
	agent string
	call  call
}

// saw counts the outcomes of calls.
func (m *machine) saw(what string, kind ...error) {
	for _, k := range kind {
		what += ", " + text(k)
	}
	m.seen[what]++
}

// wantSeen checks that the calls have met every outcome: a random test that never meets a
// quota proves nothing about quotas.
func wantSeen(t *testing.T, seen map[string]int) {
	if t.Failed() || !testkit.Long() { // too few cases
		return
	}
	for _, what := range []string{
		"write, nil", "write, conflict", "write, quota exceeded", "write, too large", "write, invalid",
		"edit, nil", "edit, conflict", "edit, not found", "edit, invalid", "append, nil", "append, quota exceeded", "append, too large",
		"delete, nil", "delete, conflict", "delete for good, nil", "restore, nil", "restore, not found", "restore, conflict", "list deleted",
		"read a deleted one", "delete log, nil", "trim, nil", "trim, invalid", "trim some", "trim all", "removed before the cursor", "repeat, nil", "repeat, conflict", "read, nil", "read, not found",
		"since unchanged, nil", "since the same text, nil", "since too old, nil", "since larger, nil", "since diff, nil", "since, invalid",
	} {
		if seen[what] == 0 {
			t.Errorf("no call of the machine came to %q, want some: %v", what, seen)
		}
	}
	if testing.Verbose() {
		t.Logf("what the calls came to: %v", seen)
	}
}

var agentNames = []string{"a-1", "a"}

func runCalls(t *rapid.T, m *machine) {
	m.clock = testkit.NewClock()
	m.agents = map[string]*agent{}
	for _, name := range agentNames {
		m.agents[name] = newAgent()
	}
	m.newService(t)
	defer func() { m.svc.Close(context.Background()) }()
	t.Repeat(map[string]func(*rapid.T){
		"":            m.check,
		"Write":       m.write,
		"Write more":  m.write,
		"Write most":  m.write,
		"Edit":        m.edit,
		"Edit more":   m.edit,
		"Append":      m.append,
		"Delete":      m.delete,
		"Delete more": m.delete,
		"Restore":     m.restore,
		"ListDeleted": m.listDeleted,
		"Trim":        m.trim,
		"Repeat":      m.repeat,
		"Read":        m.read,
		"Read since":  m.readSince,
		"Read more":   m.readSince,
		"History":     m.history,
		"ReadLog":     m.readLog,
		"ListFiles":   m.listFiles,
		"ListLogs":    m.listLogs,
		"Usage":       m.usage,
		"Clock":       m.move,
		"Reopen":      m.reopen,
		"DeleteAgent": m.erase,
	})
}

func (m *machine) newService(t *rapid.T) {
	limit := func(name string, values ...int64) int64 { return pick(values...).Draw(t, name) }
	m.limits = workspace.Limits{
		FileBytes:  limit("FileBytes", 4000, 4000, 4000, 4000, 4000, 4000, 60, 12),
		EntryBytes: limit("EntryBytes", 64, 64, 64, 64, 64, 8),
		Versions:   limit("Versions", 10, 4, 3, 3, 2, 1),
		Files:      limit("Files", 100, 100, 100, 100, 4, 2, 1),
		Logs:       limit("Logs", 100, 100, 3, 1),
		Entries:    limit("Entries", 100, 100, 12, 3),
		Bytes:      limit("Bytes", 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 9000, 1500, 700, 20),
		Changes:    limit("Changes", 1000, 1000, 30, 3, 1),
	}
	m.keep = pick(720*time.Hour, 720*time.Hour, 30*time.Hour, time.Hour, 0).Draw(t, "KeepDeleted")
	svc, err := workspace.New(m.store, workspace.Options{Tenant: m.tenant, Limits: m.limits, Now: m.clock.Now, KeepDeleted: m.keep})
	testkit.Must(t, err)
	m.svc = svc
}

// pick draws one of the agents: its workspace and its model.
func (m *machine) pick(t *rapid.T) (*workspace.Workspace, *agent) {
	return m.agent(t, pick(agentNames...).Draw(t, "agent"))
}

func (m *machine) agent(t *rapid.T, name string) (*workspace.Workspace, *agent) {
	ws, err := m.svc.Agent(name)
	testkit.Must(t, err)
	return ws, m.agents[name]
}

// pick draws one of the values, each as often as the others.
func pick[T any](values ...T) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		n := 0
		for range 8 {
			n <<= 1
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return values[n%len(values)]
	})
}

// oftenThen draws from the second one time in 16.
func oftenThen[T any](often, seldom *rapid.Generator[T]) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		for range 4 {
			if !rapid.Bool().Draw(t, "bit") {
				return often.Draw(t, "often")
			}
		}
		return seldom.Draw(t, "seldom")
	})
}

func drawPath(t *rapid.T) string {
	return oftenThen(pick("a", "a", "a", "a", "a", "a", "a/b", "a/b", "a/b/c", "A", "b"), pick("", "/a", "a//b", "a/..", "é🙂")).Draw(t, "path")
}

// drawKnown draws a path that exists, three times out of four.
func drawKnown(t *rapid.T, items map[string]item) string {
	if known := live(items, ""); len(known) > 0 && pick(true, true, true, false).Draw(t, "known") {
		return pick(known...).Draw(t, "path")
	}
	return drawPath(t)
}

// drawContent draws texts. Many share most of their lines, so that edits find something
// and diffs are worth sending.
func drawContent(t *rapid.T) string {
	if bad := oftenThen(pick(""), pick("\xff", "ok\xc3", "\xed\xa0\x80", strings.Repeat("x", 4001))).Draw(t, "bad"); bad != "" {
		return bad
	}
	word := pick("", "foo", "bar", "foo bar", "foo foo", "línea\r", "\x00", "\u2028", "日本")
	lines := rapid.SliceOfN(word, 0, 4).Draw(t, "lines")
	if rapid.Bool().Draw(t, "long") {
		for i := range 70 {
			lines = append(lines, fmt.Sprintf("item %d of the long plan", i))
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			lines[rapid.IntRange(0, len(lines)-1).Draw(t, "line")] = word.Draw(t, "changed")
		}
	}
	return strings.Join(lines, "\n") + pick("", "\n").Draw(t, "end")
}

func drawKey(t *rapid.T) string {
	good := pick("", "", "", "", "", "k1", "k2", "k3", "clé 日本", strings.Repeat("é", 128))
	return oftenThen(good, pick(strings.Repeat("k", 129), "a\nb")).Draw(t, "key")
}

func drawAuthor(t *rapid.T) workspace.Author {
	return pick(workspace.Author{}, workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}, workspace.Author{Client: "é\x00", Key: "日本", Session: "s\x00é"}, workspace.Author{Session: "s2"}).Draw(t, "author")
}

// drawVersion draws a condition near the present version.
func drawVersion(t *rapid.T, now int64) *int64 {
	switch pick("none", "none", "none", "none", "none", "none", "none", "none", "none", "now", "now", "now", "next", "absent", "absent", "wrong").Draw(t, "condition") {
	case "now":
		return ptr(now)
	case "next":
		return ptr(now + 1)
	case "absent":
		return ptr(0)
	case "wrong":
		return ptr(-1)
	}
	return nil
}

// keptAuthor returns an author as it is stored: without NUL, which no store need keep.
func keptAuthor(a workspace.Author) workspace.Author {
	a.Client, a.Session = strings.ReplaceAll(a.Client, "\x00", "\uFFFD"), strings.ReplaceAll(a.Session, "\x00", "\uFFFD")
	return a
}

// make makes a call on the workspace and on the model.
func (m *machine) make(t *rapid.T, ws *workspace.Workspace, a *agent, c call) (kind error) {
	kept := c
	kept.author, kept.keep = keptAuthor(c.author), m.keep
	want, kind := a.apply(kept, m.clock.Now().UTC().Truncate(time.Microsecond), m.limits)
	got, err := run(t.Context(), ws, c)
	if wrong := hasKind(err, kind); wrong != "" {
		t.Fatalf("%s %s: %s", c.op, c.path, wrong)
	}
	m.saw(c.op, kind)
	if c.key != "" && kind == nil {
		m.calls = append(m.calls, made{ws.Agent(), c})
	}
	if got != want {
		t.Fatalf("%s %s = %+v, want %+v", c.op, c.path, got, want)
	}
	return kind
}

func run(ctx context.Context, ws *workspace.Workspace, c call) (answer, error) {
	ws = ws.As(c.author)
	switch c.op {
	case "write":
		r, err := ws.WriteFile(ctx, c.path, []byte(c.content), workspace.WriteOptions{IfVersion: c.ifVersion, IdempotencyKey: c.key})
		return answer{Path: r.Path, Number: r.Version, Bytes: r.Bytes}, err
	case "edit":
		r, err := ws.EditFile(ctx, c.path, c.old, c.content, workspace.EditOptions{All: c.all, IfVersion: c.ifVersion, IdempotencyKey: c.key})
		return answer{Path: r.Path, Number: r.Version, Bytes: r.Bytes, Some: r.Replacements}, err
	case "append":
		r, err := ws.AppendLogWith(ctx, c.path, workspace.AppendOptions{IdempotencyKey: c.key}, asBytes(c.entries)...)
		return answer{Path: r.Path, Number: r.Last, First: r.First, Bytes: r.Bytes}, err
	}
	if c.op == "restore" {
		r, err := ws.RestoreFile(ctx, c.path, workspace.RestoreOptions{Version: c.through, IfVersion: c.ifVersion, IdempotencyKey: c.key})
		return answer{Path: r.Path, Number: r.Version, Bytes: r.Bytes}, err
	}
	var r workspace.DeleteResult
	var err error
	switch c.op {
	case "delete log":
		r, err = ws.DeleteLog(ctx, c.path, workspace.DeleteLogOptions{IdempotencyKey: c.key})
	case "trim":
		r, err = ws.TrimLog(ctx, c.path, c.through, workspace.TrimLogOptions{IdempotencyKey: c.key})
	default:
		r, err = ws.DeleteFile(ctx, c.path, workspace.DeleteOptions{IfVersion: c.ifVersion, IdempotencyKey: c.key, ForGood: c.op == "delete for good"})
	}
	ans := answer{Path: r.Path, Some: r.Removed, Deleted: r.Deleted, Kept: r.Versions}
	if !r.Until.IsZero() {
		ans.Until = r.Until.UnixMicro()
	}
	return ans, err
}

func (m *machine) write(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawPath(t)
	content := drawContent(t)
	if f := a.files[path]; f.live() && pick(false, false, false, true).Draw(t, "the same") {
		content = f.newest().content
	}
	m.make(t, ws, a, call{
		op: "write", path: path, content: content, ifVersion: drawVersion(t, a.files[path].last), key: drawKey(t), author: drawAuthor(t),
	})
}

func (m *machine) edit(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.files)
	word := pick("foo", "foo", "bar", "o", "oo", "\n", "", "item 1 ", "item 2 ", "item", "línea\r\n", "nowhere")
	m.make(t, ws, a, call{
		op: "edit", path: path, old: word.Draw(t, "old"), content: word.Draw(t, "new"), all: rapid.Bool().Draw(t, "all"),
		ifVersion: drawVersion(t, a.files[path].last), key: drawKey(t), author: drawAuthor(t),
	})
}

func drawEntries(t *rapid.T, entry *rapid.Generator[string]) []string {
	entries := make([]string, pick(1, 1, 1, 2, 2, 3, 5, 0).Draw(t, "count"))
	for i := range entries {
		entries[i] = entry.Draw(t, "entry")
	}
	return entries
}

func (m *machine) append(t *rapid.T) {
	ws, a := m.pick(t)
	entry := oftenThen(pick("done", "", "é\n[9,9,\"forged\"]", "a little longer"), pick(strings.Repeat("x", 65), "\xff"))
	m.make(t, ws, a, call{
		op: "append", path: drawPath(t), entries: drawEntries(t, entry), key: drawKey(t), author: drawAuthor(t),
	})
}

func (m *machine) delete(t *rapid.T) {
	if rapid.Bool().Draw(t, "spare") {
		t.Skip("deleted less often than written")
	}
	ws, a := m.pick(t)
	path := drawPath(t)
	c := call{op: pick("delete", "delete", "delete log", "delete for good").Draw(t, "op"), path: path, key: drawKey(t), author: drawAuthor(t)}
	if c.op != "delete log" {
		c.ifVersion = drawVersion(t, a.files[path].last)
	}
	m.make(t, ws, a, c)
}

func (m *machine) restore(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawPath(t)
	f := a.files[path]
	version := pick[int64](0, 0, f.last, f.last, f.last-1, f.last-2, f.last+1).Draw(t, "version")
	m.make(t, ws, a, call{
		op: "restore", path: path, through: version, ifVersion: drawVersion(t, f.last), key: drawKey(t), author: drawAuthor(t),
	})
}

// restorable returns the paths of the deleted files that are kept, in order.
func (m *machine) restorable(a *agent) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.files)), func(path string) bool {
		return !a.files[path].restorable(m.clock.Now())
	})
}

func (m *machine) listDeleted(t *rapid.T) {
	ws, a := m.pick(t)
	got, err := ws.ListFiles(t.Context(), workspace.ListOptions{Deleted: true})
	testkit.Must(t, err)
	a.pending++
	want := []workspace.FileInfo{}
	for _, path := range m.restorable(a) {
		f := a.files[path]
		want = append(want, workspace.FileInfo{
			Path: path, Version: f.newest().number, Bytes: int64(len(f.newest().content)), Versions: int64(len(f.parts)),
			Kept: f.bytes(), Created: f.created, Updated: f.updated, Deleter: f.deleter, Expires: f.expires,
		})
	}
	if len(want) > 0 {
		m.saw("list deleted")
	}
	if diff := cmp.Diff(want, got.Files); diff != "" || got.More {
		t.Fatalf("ListFiles of deleted files, want - got +:\n%s", diff)
	}
}

func (m *machine) trim(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.logs)
	log := a.logs[path]
	before := len(log.parts)
	through := log.last - pick[int64](0, 1, 1, 2, 3, 5, -1).Draw(t, "left")
	kind := m.make(t, ws, a, call{op: "trim", path: path, through: through, key: drawKey(t)})
	switch after := len(a.logs[path].parts); {
	case kind == nil && after == 0 && before > 0:
		m.saw("trim all")
	case kind == nil && after < before:
		m.saw("trim some")
	}
}

// repeat sends a call with a key again.
func (m *machine) repeat(t *rapid.T) {
	if len(m.calls) == 0 {
		t.Skip("no call carried a key")
	}
	ws, a := m.pick(t)
	c := pick(m.calls...).Draw(t, "call")
	if pick(true, true, true, false).Draw(t, "by the same") {
		ws, a = m.agent(t, c.agent)
	}
	before := a.operations
	kind := m.make(t, ws, a, c.call)
	if a.operations == before {
		m.saw("repeat", kind)
	}
}

func (m *machine) read(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.files)
	form := pick("whole", "version", "lines", "mixed").Draw(t, "form")
	if gone := m.restorable(a); len(gone) > 0 && form != "mixed" {
		path, form = pick(gone...).Draw(t, "deleted path"), "version"
	}
	f := a.files[path]
	var o workspace.ReadOptions
	switch form {
	case "version":
		o.Version = max(f.last-pick[int64](0, 1, 2, 3, 5, -1).Draw(t, "version"), 1)
	case "lines":
		o.FromLine = rapid.IntRange(0, 8).Draw(t, "from")
		o.ToLine = rapid.IntRange(0, 80).Draw(t, "to")
		if rapid.Bool().Draw(t, "of a version") {
			o.Version = max(f.last-pick[int64](0, 1, 2).Draw(t, "version"), 1)
		}
	case "mixed":
		o = pick([]workspace.ReadOptions{
			{Since: 1, Version: 1}, {Since: 1, ToLine: 1}, {MaxTokens: -1}, {Context: 1}, {FromLine: -1}, {Version: -1}, {FromLine: 3, ToLine: 2},
		}...).Draw(t, "options")
		_, err := ws.ReadFile(t.Context(), path, o)
		if wrong := hasKind(err, workspace.ErrInvalid); wrong != "" {
			t.Fatalf("ReadFile(%q, %+v): %s", path, o, wrong)
		}
		return
	}
	want, kind := readModel(f, path, o)
	if f.restorable(m.clock.Now()) && o.Version > 0 {
		f.deleted = false
		want, kind = readModel(f, path, o)
		want.Current = 0
		m.saw("read a deleted one")
	}
	if !validPath(path) {
		kind = workspace.ErrInvalid
	}
	got, err := ws.ReadFile(t.Context(), path, o)
	if wrong := hasKind(err, kind); wrong != "" {
		t.Fatalf("ReadFile(%q, %+v): %s", path, o, wrong)
	}
	m.saw("read", kind)
	if kind != nil {
		return
	}
	a.pending++
	if diff := cmp.Diff(want, got, bytesAsText); diff != "" {
		t.Fatalf("ReadFile(%q, %+v), want - got +:\n%s", path, o, diff)
	}
}

// bytesAsText treats nil and empty content as equal.
var bytesAsText = cmp.Transformer("text", func(b []byte) string { return string(b) })

// readModel reads a version or its lines.
func readModel(f item, path string, o workspace.ReadOptions) (workspace.ReadResult, error) {
	if o.ToLine > 0 && o.FromLine > o.ToLine {
		return workspace.ReadResult{}, workspace.ErrInvalid
	}
	if !f.live() {
		return workspace.ReadResult{}, workspace.ErrNotFound
	}
	p := f.newest()
	if o.Version != 0 {
		i := slices.IndexFunc(f.parts, func(p part) bool { return p.number == o.Version })
		if i < 0 {
			return workspace.ReadResult{}, workspace.ErrNotFound
		}
		p = f.parts[i]
	}
	lines := strings.SplitAfter(p.content, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	r := workspace.ReadResult{
		Path: path, Current: f.last, Version: p.number, Bytes: int64(len(p.content)), Lines: len(lines),
		SHA256: sha256.Sum256([]byte(p.content)), Author: p.author, Time: p.time, Content: []byte(p.content),
	}
	if o.FromLine != 0 || o.ToLine != 0 && len(lines) > 0 { // an empty file has no line to begin with
		from, to := max(o.FromLine, 1), min(o.ToLine, len(lines))
		if from > len(lines) {
			return workspace.ReadResult{}, workspace.ErrInvalid
		}
		if o.ToLine == 0 {
			to = len(lines)
		}
		r.FromLine, r.ToLine, r.Content = from, to, []byte(strings.Join(lines[from-1:to], ""))
	}
	return r, nil
}

func (m *machine) readSince(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.files)
	f := a.files[path]
	o := workspace.ReadOptions{Since: f.last - pick[int64](0, 1, 1, 2, 3, 5, 8, -1).Draw(t, "since"), Context: rapid.IntRange(-1, 3).Draw(t, "context")}
	if len(f.parts) > 0 && rapid.Bool().Draw(t, "retained") {
		o.Since = pick(f.parts...).Draw(t, "part").number
	}
	if o.Since == 0 {
		o.Since = -1
	}
	want, kind := readModel(f, path, workspace.ReadOptions{})
	if !validPath(path) || kind == nil && (o.Since < 0 || o.Since > f.last) {
		kind = workspace.ErrInvalid
	}
	got, err := ws.ReadFile(t.Context(), path, o)
	if wrong := hasKind(err, kind); wrong != "" {
		t.Fatalf("ReadFile(%q, %+v): %s", path, o, wrong)
	}
	if kind != nil {
		m.saw("since", kind)
		return
	}
	a.pending++
	want.Since = o.Since
	what := "since diff"
	switch i := slices.IndexFunc(f.parts, func(p part) bool { return p.number == o.Since }); {
	case o.Since == f.last:
		want.Unchanged, want.Lines, want.Content = true, 0, nil
		what = "since unchanged"
	case i < 0:
		want.VersionTooOld = true
		what = "since too old"
	case o.Context >= 0 && f.parts[i].content == f.newest().content:
		want.Unchanged, want.Lines, want.Content = true, 0, nil
		what = "since the same text"
	case got.Diff == nil && o.Context >= 0:
		want.DiffLarger = true
		what = "since larger"
	default:
		content, err := linediff.Apply([]byte(f.parts[i].content), got.Diff)
		if err != nil || string(content) != f.newest().content {
			t.Fatalf("ReadFile(%q, %+v): the diff applied to version %d gives %q, %v, want %q", path, o, o.Since, content, err, f.newest().content)
		}
		want.Diff, want.DiffJSON, want.Content = got.Diff, linediff.AppendJSON(nil, got.Diff), nil
	}
	m.saw(what, nil)
	if diff := cmp.Diff(want, got, bytesAsText); diff != "" {
		t.Fatalf("ReadFile(%q, %+v), want - got +:\n%s", path, o, diff)
	}
}

func (m *machine) history(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.files)
	f := a.files[path]
	var kind error
	switch {
	case !validPath(path):
		kind = workspace.ErrInvalid
	case !f.live() && !f.restorable(m.clock.Now()):
		kind = workspace.ErrNotFound
	}
	got, err := ws.History(t.Context(), path)
	if wrong := hasKind(err, kind); wrong != "" {
		t.Fatalf("History(%q): %s", path, wrong)
	}
	if kind != nil {
		return
	}
	a.pending++
	var want []workspace.VersionInfo
	for _, p := range f.parts {
		want = append(want, workspace.VersionInfo{
			Version: p.number, Bytes: int64(len(p.content)), SHA256: sha256.Sum256([]byte(p.content)), Author: p.author, Time: p.time,
			Created: p.created,
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("History(%q), want - got +:\n%s", path, diff)
	}
}

func (m *machine) readLog(t *rapid.T) {
	ws, a := m.pick(t)
	path := drawKnown(t, a.logs)
	log := a.logs[path]
	var o workspace.ReadLogOptions
	limit := pick(0, 1, 2, 5, 100, 101, -1)
	if rapid.Bool().Draw(t, "tail") {
		o.Tail = limit.Draw(t, "newest")
	} else {
		o.Since = max(0, pick(0, 1, log.last, log.last-3, log.last-int64(len(log.parts))-1, log.last+1).Draw(t, "since"))
		o.Limit = limit.Draw(t, "limit")
	}
	got, err := ws.ReadLog(t.Context(), path, o)
	var kind error
	if !validPath(path) || max(o.Tail, o.Limit) > 100 || min(o.Tail, o.Limit) < 0 {
		kind = workspace.ErrInvalid
	}
	if wrong := hasKind(err, kind); wrong != "" {
		t.Fatalf("ReadLog(%q, %+v): %s", path, o, wrong)
	}
	if kind != nil {
		return
	}
	a.pending++
	if len(got.Entries) == 0 {
		got.Entries = nil
	}
	if got.Removed > 0 {
		m.saw("removed before the cursor")
	}
	got.Nearest = "" // TestNearest
	want := pageModel(log, path, o)
	want.IsFile = !log.live() && a.files[path].live()
	if diff := cmp.Diff(want, got, bytesAsText); diff != "" {
		t.Fatalf("ReadLog(%q, %+v), want - got +:\n%s", path, o, diff)
	}
}

func pageModel(log item, path string, o workspace.ReadLogOptions) workspace.LogPage {
	page := workspace.LogPage{Path: path, Exists: log.live(), Last: o.Since}
	parts := log.parts
	page.Total = int64(len(parts))
	if o.Tail > 0 {
		older := max(0, len(parts)-o.Tail)
		parts, page.More = parts[older:], older > 0
		if log.live() {
			page.Last = log.last
		}
	} else {
		parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.number <= o.Since })
		if o.Limit == 0 {
			o.Limit = 100
		}
		page.More = len(parts) > o.Limit
		if gone := log.last - int64(len(log.parts)); log.live() && o.Since > 0 && o.Since < gone {
			page.Removed = gone
		}
		parts = parts[:min(len(parts), o.Limit)]
	}
	for _, p := range parts {
		page.Last = p.number
		page.Entries = append(page.Entries, workspace.Entry{
			ID: p.number, SHA256: sha256.Sum256([]byte(p.content)), Author: p.author, Time: p.time, Content: []byte(p.content),
		})
	}
	return page
}

func drawList(t *rapid.T) (prefix string, limit int) {
	return pick("", "", "a", "a/", "a/b", "A", "z").Draw(t, "prefix"), rapid.IntRange(0, 3).Draw(t, "limit")
}

// live returns the paths that exist below a prefix, in order.
func live(items map[string]item, prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(items)), func(path string) bool {
		return !items[path].live() || !strings.HasPrefix(path, prefix)
	})
}

func (m *machine) listFiles(t *rapid.T) {
	ws, a := m.pick(t)
	prefix, limit := drawList(t)
	want := []workspace.FileInfo{}
	for _, path := range live(a.files, prefix) {
		f := a.files[path]
		want = append(want, workspace.FileInfo{
			Path: path, Version: f.last, Bytes: int64(len(f.newest().content)), Versions: int64(len(f.parts)), Kept: f.bytes(), Created: f.created, Updated: f.updated,
		})
	}
	got := []workspace.FileInfo{}
	for o := (workspace.ListOptions{Prefix: prefix, Limit: limit}); ; {
		list, err := ws.ListFiles(t.Context(), o)
		if err != nil || list.More != (list.Next != "") || limit > 0 && len(list.Files) > limit {
			t.Fatalf("ListFiles(%+v) = %+v, %v, want a page of at most %d, and Next where there is more", o, list, err, limit)
		}
		a.pending++
		got = append(got, list.Files...)
		if o.After = list.Next; !list.More || len(got) > len(want) {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("ListFiles(%q) by %d, want - got +:\n%s", prefix, limit, diff)
	}
}

func (m *machine) listLogs(t *rapid.T) {
	ws, a := m.pick(t)
	prefix, limit := drawList(t)
	want := []workspace.LogHead{}
	for _, path := range live(a.logs, prefix) {
		l := a.logs[path]
		want = append(want, workspace.LogHead{
			Path: path, First: l.last - int64(len(l.parts)) + 1, Bytes: l.bytes(), Last: l.last, Created: l.created, Updated: l.updated,
		})
	}
	got := []workspace.LogHead{}
	for o := (workspace.ListOptions{Prefix: prefix, Limit: limit}); ; {
		list, err := ws.ListLogs(t.Context(), o)
		if err != nil || list.More != (list.Next != "") || limit > 0 && len(list.Logs) > limit {
			t.Fatalf("ListLogs(%+v) = %+v, %v, want a page of at most %d, and Next where there is more", o, list, err, limit)
		}
		a.pending++
		got = append(got, list.Logs...)
		if o.After = list.Next; !list.More || len(got) > len(want) {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("ListLogs(%q) by %d, want - got +:\n%s", prefix, limit, diff)
	}
}

func (m *machine) usage(t *rapid.T) {
	ws, a := m.pick(t)
	got, err := ws.Usage(t.Context())
	testkit.Must(t, err)
	a.pending++
	want := workspace.UsageReport{Agent: ws.Agent(), Usage: a.usage(), Charge: a.charge(), Limits: m.limits}
	want.Operations += a.pending
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Usage, want - got +:\n%s", diff)
	}
}

// move moves the clock, sometimes back.
func (m *machine) move(t *rapid.T) {
	m.clock.Advance(pick([]time.Duration{
		1, time.Microsecond, time.Second, time.Hour, 23 * time.Hour, 24 * time.Hour, 25 * time.Hour, 240 * time.Hour, -time.Second, -5 * time.Hour,
	}...).Draw(t, "by"))
}

// reopen closes the service, and also the store if that loses nothing, and takes other
// limits.
func (m *machine) reopen(t *rapid.T) {
	testkit.Must(t, m.svc.Close(t.Context()))
	for _, a := range m.agents {
		a.flush()
	}
	if m.open != nil {
		testkit.Must(t, m.store.Close())
		m.store = m.open()
	}
	m.newService(t)
}

func (m *machine) erase(t *rapid.T) {
	if pick(true, true, true, true, false).Draw(t, "spare") {
		t.Skip("deleted less often than the rest")
	}
	ws, a := m.pick(t)
	want := len(live(a.files, ""))+len(live(a.logs, "")) > 0
	found, err := m.svc.DeleteAgent(t.Context(), ws.Agent())
	if err != nil || found != want && want {
		t.Fatalf("DeleteAgent = %t, %v, want %t", found, err, want)
	}
	now := m.clock.Now().UTC().Truncate(time.Microsecond)
	a.erase(now)
	for _, a := range m.agents {
		a.sweep(now)
	}
}

// journal compares the rows of the journal, and what the agent's state says of them.
func (m *machine) journal(t *rapid.T) {
	for name, a := range m.agents {
		var rows []workspace.Change
		var state port.OwnerState
		if err := m.store.View(t.Context(), port.Owner{Tenant: m.tenant, Agent: name}, func(r port.Reader) (err error) {
			if state, err = r.Owner(); err == nil {
				rows, err = r.Changes(0, 1<<20)
			}
			return err
		}); err != nil {
			t.Fatalf("Changes = %v", err)
		}
		if diff := cmp.Diff(a.rows, rows, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the journal of %s, want - got +:\n%s", name, diff)
		}
		if state.Changes != int64(len(rows)) || state.Revision != a.revision && state != (port.OwnerState{}) {
			t.Fatalf("the state of %s counts %d rows up to %d, want %d up to %d", name, state.Changes, state.Revision, len(rows), a.revision)
		}
	}
}

// check compares the counts. It uses the list of agents, which counts nothing itself.
func (m *machine) check(t *rapid.T) {
	m.journal(t)
	for _, name := range agentNames {
		if r, err := dump.Check(t.Context(), m.store, port.Owner{Tenant: m.tenant, Agent: name}); err != nil || r.Problems != nil {
			t.Fatalf("Check of %s = %v, %v", name, r.Problems, err)
		}
	}
	var want []workspace.AgentInfo
	for _, name := range slices.Sorted(maps.Keys(m.agents)) {
		if u := m.agents[name].usage(); u != (workspace.Usage{}) {
			want = append(want, workspace.AgentInfo{Agent: name, Usage: u})
		}
	}
	var got []workspace.AgentInfo
	q := workspace.AgentsQuery{Patterns: []string{"*"}, Limit: 1}
	for len(got) <= len(m.agents) { // else there is one too many, and the same again maybe
		page, err := m.svc.Agents(t.Context(), q)
		testkit.Must(t, err)
		for _, a := range page.Agents {
			a.Updated = time.Time{}
			got = append(got, a)
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Agents, want - got +:\n%s", diff)
	}
}

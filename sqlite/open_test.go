package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// state returns the content of a folder: by name the mode, and for files the SHA-256.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		testkit.Must(t, err)
		all[e.Name()] = info.Mode().String()
		if info.Mode().IsRegular() {
			all[e.Name()] += fmt.Sprintf(" %x", sha256.Sum256(readBytes(t, filepath.Join(dir, e.Name()))))
		}
	}
	return all
}

// script runs SQL on a database with the driver alone, as another program would.
func script(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := openSQL(t, path)
	execAll(t, db, statements)
	testkit.Must(t, db.Close())
}

func execAll(t testing.TB, db *sql.DB, statements []string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func openSQL(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	return db
}

// mustCount runs a query of one number with the driver alone.
func mustCount(t *testing.T, path, query string) (n int) {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	testkit.Must(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

// ours makes a database of this package, in which alice has plan.md.
func ours(t *testing.T, path string) {
	t.Helper()
	content, err := oursOnce()
	testkit.Must(t, errors.Join(err, os.WriteFile(path, content, 0o600)))
}

var oursOnce = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ours-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ours.db")
	s, ws, err := openAgent(path, "alice", workspace.Limits{})
	if err != nil {
		return nil, err
	}
	_, err = ws.WriteFile(context.Background(), "plan.md", []byte("text"), workspace.WriteOptions{})
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

const foreign = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); PRAGMA user_version = 1"

// crashWith leaves the files of a database as a crash would, by copying them while it
// is in use.
func crashWith(t *testing.T, path string, suffixes []string, statements ...string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source.db")
	db := openSQL(t, source)
	defer db.Close()
	execAll(t, db, statements)
	for _, suffix := range suffixes {
		b := readBytes(t, source+suffix)
		if len(b) == 0 {
			t.Fatalf("%s is empty", suffix)
		}
		write(t, path+suffix, b)
	}
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, content, 0o640))
}

// refusal is a database that Open refuses: how it is made, the kind of the error, and
// words of the error that say what to do.
type refusal struct {
	name string
	make func(t *testing.T, path string)
	kind error
	say  string
}

// changed makes a database of this package that another program has changed.
func changed(statements ...string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		ours(t, path)
		script(t, path, statements...)
	}
}

var refusals = []refusal{
	{"Foreign", func(t *testing.T, path string) { script(t, path, foreign) }, store.ErrInvalid, "another program"},
	{"ForeignEmpty", func(t *testing.T, path string) { script(t, path, "VACUUM", "PRAGMA user_version = 3") }, store.ErrInvalid, "another program"},
	{"ForeignWAL", func(t *testing.T, path string) { script(t, path, "PRAGMA journal_mode = WAL", foreign) }, store.ErrInvalid, "another program"},
	{"ForeignWALHot", func(t *testing.T, path string) {
		crashWith(t, path, []string{"", "-wal"}, "PRAGMA journal_mode = WAL", foreign)
	}, store.ErrInvalid, "another program"},
	{"ForeignHotJournal", func(t *testing.T, path string) {
		crashWith(t, path, []string{"", "-journal"}, foreign, "CREATE TABLE big (a)", "PRAGMA cache_size = 1", "BEGIN",
			"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i+1 FROM n WHERE i < 500) INSERT INTO big SELECT randomblob(1000) FROM n", "UPDATE t SET a = a + 1")
	}, store.ErrInvalid, "that program"},
	{"Newer", changed("PRAGMA user_version = 99"), store.ErrUnsupported, "newer"},
	{"VersionZero", changed("PRAGMA user_version = 0"), store.ErrCorrupt, "backup"},
	{"TableMissing", changed("DROP TABLE summaries"), store.ErrCorrupt, "the table summaries is missing; restore it from a backup"},
	{"Trigger", changed("CREATE TRIGGER steal AFTER INSERT ON versions BEGIN DELETE FROM versions; END"), store.ErrCorrupt, `the trigger "steal" on "versions"`},
	{"TriggerOfOurName", changed("CREATE TRIGGER files AFTER INSERT ON versions BEGIN DELETE FROM versions; END"), store.ErrCorrupt, `the trigger "files" on "versions"`},
	{"View", changed("CREATE VIEW v AS SELECT 1"), store.ErrCorrupt, `the view "v"`},
	{"TableIsView", changed("ALTER TABLE logs RENAME TO hidden", "CREATE VIEW logs AS SELECT * FROM hidden WHERE path <> 'audit'"), store.ErrCorrupt, "not scratchpad's"},
	{"Table", changed("CREATE TABLE mine (a)"), store.ErrCorrupt, `the table "mine"`},
	{"VirtualTable", changed("CREATE VIRTUAL TABLE found USING fts5(text)"), store.ErrCorrupt, `the table "found`},
	{"UniqueIndex", changed("CREATE UNIQUE INDEX one ON versions (owner)"), store.ErrCorrupt, `the index "one" on "versions"`},
	{"IndexChanged", changed("DROP INDEX files_deleted", "CREATE UNIQUE INDEX files_deleted ON files (owner, deleted)"), store.ErrCorrupt, "the index files_deleted was changed"},
	{"IndexMissing", changed("DROP INDEX files_deleted"), store.ErrCorrupt, "the index files_deleted is missing"},
	{"TableChanged", changed("ALTER TABLE entries ADD COLUMN copied TEXT DEFAULT ''"), store.ErrCorrupt, "the table entries was changed"},
	{"Text", func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("# notes\n"), 1000)) }, store.ErrInvalid, "another path"},
	{"ShortText", func(t *testing.T, path string) { write(t, path, []byte("x")) }, store.ErrInvalid, "another path"},
	{"Zeros", func(t *testing.T, path string) { write(t, path, make([]byte, 8192)) }, store.ErrInvalid, "another path"},
	{"Folder", func(t *testing.T, path string) { testkit.Must(t, os.Mkdir(path, 0o755)) }, store.ErrInvalid, "folder"},
	{"Link", func(t *testing.T, path string) { ours(t, path+".real"); link(t, path+".real", path) }, store.ErrInvalid, "symbolic link"},
	{"LinkToNothing", func(t *testing.T, path string) { link(t, path+".none", path) }, store.ErrInvalid, "symbolic link"},
	{"MissingWithLog", func(t *testing.T, path string) { write(t, path+"-wal", []byte("a log")) }, store.ErrCorrupt, "backup"},
	{"EmptyWithLog", func(t *testing.T, path string) {
		write(t, path, nil)
		write(t, path+"-wal", []byte("a log"))
	}, store.ErrCorrupt, "backup"},
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
}

// Open and OpenReadOnly refuse these files with an error that says what to do. Every byte,
// mode and name in the folder stays.
func TestOpenRefuses(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "refused.db")
			c.make(t, path)
			mustRefuse(t, path, c.kind, c.say)
			before := state(t, filepath.Dir(path))
			s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("OpenReadOnly = %v; want %q and %q", err, c.kind, c.say)
			}
			mustKeep(t, path, before)
		})
	}
}

func mustRefuse(t *testing.T, path string, kind error, say string) {
	t.Helper()
	dir := filepath.Dir(path)
	before := state(t, dir)
	began := time.Now()
	s, err := sqlite.Open(t.Context(), path, quiet)
	if err == nil {
		s.Close()
		t.Error("Open = nil")
	} else if !errors.Is(err, kind) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), say) {
		t.Errorf("Open = %v; want %q, the path, and %q", err, kind, say)
	}
	if took := time.Since(began); took > 12*time.Second {
		t.Errorf("Open took %v", took)
	}
	mustKeep(t, path, before)
	t.Log(err)
}

// mustKeep fails if the folder has changed. SQLite itself makes -shm and an empty -wal
// when it reads a database in WAL mode.
func mustKeep(t *testing.T, path string, before map[string]string) {
	t.Helper()
	after := state(t, filepath.Dir(path))
	base := filepath.Base(path)
	delete(before, base+"-shm")
	delete(after, base+"-shm")
	if _, ok := before[base+"-wal"]; !ok && strings.HasSuffix(after[base+"-wal"], fmt.Sprintf("%x", sha256.Sum256(nil))) {
		delete(after, base+"-wal")
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
}

// If a database was cut off, Open refuses it and does not change it, or what is left
// can be read.
func TestOpenTruncated(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	ours(t, whole)
	content := readBytes(t, whole)
	for _, n := range []int{1, 99, 100, 4095, 4096, 8192, 20480, len(content) / 2, len(content) - 4096, len(content) - 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "cut.db")
			write(t, path, content[:n])
			before := state(t, dir)
			s, err := sqlite.Open(t.Context(), path, quiet)
			if err != nil {
				if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), path) {
					t.Errorf("Open = %v; want ErrCorrupt or ErrInvalid, and the path", err)
				}
				if !strings.Contains(err.Error(), "backup") && !strings.Contains(err.Error(), "another path") {
					t.Errorf("Open = %v; want the way out", err)
				}
				if strings.Count(err.Error(), store.ErrCorrupt.Error()) > 1 {
					t.Errorf("Open = %v; want the kind once", err)
				}
				mustKeep(t, path, before)
				return
			}
			defer s.Close()
			r, err := agent(t, newService(t, s), "alice").ReadFile(t.Context(), "plan.md", workspace.ReadOptions{})
			if err == nil && string(r.Content) != "text" || err != nil && !hasKind(err) {
				t.Errorf("ReadFile = %q, %v", r.Content, err)
			}
			t.Logf("%d of %d bytes are opened; reading: %v", n, len(content), err)
		})
	}
}

// "open-lock DB STATEMENTS" holds what the statements take until its input ends.
var _ = register("open-lock", func(args []string) error {
	db, err := sql.Open("sqlite", args[0])
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, s := range args[1:] {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	tell("locked")
	<-hear()
	return db.Close()
})

// If another process keeps the database locked, the error says so.
func TestOpenLocked(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name  string
		make  func(t *testing.T, path string)
		locks []string
	}{
		{"Foreign", func(t *testing.T, path string) { script(t, path, foreign) }, []string{"BEGIN EXCLUSIVE"}},
		{"Ours", ours, []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "locked.db")
			c.make(t, path)
			c := startChild(t, "open-lock", append([]string{path}, c.locks...)...)
			c.expect(t, "locked")
			mustRefuse(t, path, store.ErrBusy, "locked")
			c.finish(t)
		})
	}
}

// Open refuses arguments that cannot be right, and makes nothing.
func TestOpenArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		path string
		o    sqlite.Options
		kind error
	}{
		{"NilContext", nil, path, quiet, store.ErrInvalid},
		{"Cancelled", cancelled, path, quiet, context.Canceled},
		{"Expired", expired, path, quiet, store.ErrBusy},
		{"EmptyPath", t.Context(), "", quiet, store.ErrInvalid},
		{"NoFolder", t.Context(), filepath.Join(dir, "none", "a.db"), quiet, store.ErrInvalid},
		{"FolderIsFile", t.Context(), filepath.Join(os.Args[0], "a.db"), quiet, store.ErrInvalid},
		{"FolderAlone", t.Context(), dir + string(filepath.Separator), quiet, store.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := sqlite.Open(c.ctx, c.path, c.o)
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("Open = %v; want %q and the path", err, c.kind)
			}
		})
	}
	if after := state(t, dir); len(after) > 0 {
		t.Errorf("the folder holds %v", after)
	}
}

// No character of a path has a special meaning.
func TestOpenOddNames(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	names := []string{"-a b#b%41'b;=+ünï-日本", "a&_pragma=synchronous(0)"}
	if runtime.GOOS != "windows" {
		names = append(names, "a?mode=ro", "file:a", ":memory:", "a\\b\"\n", "a?vfs=x&cache=shared")
	}
	for i, name := range names {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, name)
			testkit.Must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, name)
			s := open(t, path)
			put(t, workspaceOn(t, s, "alice"), "file")
			if s.Path() != path {
				t.Errorf("Path() = %q, want %q", s.Path(), path)
			}
			testkit.Must(t, s.Close())
			s = open(t, path)
			expectFile(t, workspaceOn(t, s, "alice"), "file", "file")
			testkit.Must(t, s.Close())
			var got []string
			err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					got = append(got, strings.TrimPrefix(p, path))
				}
				return err
			})
			testkit.Must(t, err)
			if diff := cmp.Diff([]string{"", "-reserve", "-turn", "-write"}, got); diff != "" {
				t.Errorf("beside %q (-want +got):\n%s", path, diff)
			}
		})
	}
}

// ledger records what a store has acknowledged: by agent and path, the SHA-256 of the
// content in hex. Each file has one version.
type ledger struct {
	mu    sync.Mutex
	acked map[string]string
}

func newLedger() *ledger { return &ledger{acked: map[string]string{}} }

func (l *ledger) put(agent, path string, content []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[agent+" "+path] = fmt.Sprintf("%x", sha256.Sum256(content))
}

func (l *ledger) remove(agent, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.acked, agent+" "+path)
}

// write writes a new file and notes it when it is acknowledged.
func (l *ledger) write(ctx context.Context, ws *workspace.Workspace, path string, content []byte) error {
	_, err := ws.WriteFile(ctx, path, content, workspace.WriteOptions{})
	if err == nil {
		l.put(ws.Agent(), path, content)
	}
	return err
}

// check reads everything that was acknowledged.
func (l *ledger) check(ctx context.Context, svc *workspace.Service) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for key, sum := range l.acked {
		agent, path, _ := strings.Cut(key, " ")
		ws, err := svc.Agent(agent)
		if err != nil {
			return err
		}
		r, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		if err == nil && fmt.Sprintf("%x", sha256.Sum256(r.Content)) != sum {
			err = errors.New("other bytes than were acknowledged")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("of %d acknowledged files, %d cannot be read: %w", len(l.acked), len(errs), errs[0])
	}
	return nil
}

// checkNothingElse reports files that are there although no write of them was
// acknowledged.
func (l *ledger) checkNothingElse(ctx context.Context, svc *workspace.Service) error {
	agents, err := svc.Agents(ctx, workspace.AgentsQuery{Patterns: []string{"*"}, Limit: 200})
	if err != nil {
		return err
	}
	for _, a := range agents.Agents {
		ws, err := svc.Agent(a.Agent)
		if err != nil {
			return err
		}
		for page := (workspace.FileList{More: true}); page.More; {
			if page, err = ws.ListFiles(ctx, workspace.ListOptions{After: page.Next}); err != nil {
				return err
			}
			for _, f := range page.Files {
				if _, ok := l.acked[a.Agent+" "+f.Path]; !ok {
					return fmt.Errorf("%s %s is there, and nobody was told", a.Agent, f.Path)
				}
			}
		}
	}
	return nil
}

// print writes the ledger for another process, which reads it with read.
func (l *ledger) print(w io.Writer) {
	for _, key := range slices.Sorted(maps.Keys(l.acked)) {
		fmt.Fprintf(w, "acked %s %s\n", key, l.acked[key])
	}
}

func (l *ledger) read(line string) {
	if words := strings.Fields(line); len(words) == 4 && words[0] == "acked" {
		l.acked[words[1]+" "+words[2]] = words[3]
	}
}

func newService(t testing.TB, s store.Store) *workspace.Service {
	t.Helper()
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(t, err)
	return svc
}

func agent(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws, err := svc.Agent(name)
	testkit.Must(t, err)
	return ws
}

// text returns n bytes that no other call returns.
func text(n int, of ...any) []byte {
	line := fmt.Append(nil, of...)
	line = append(line, '\n')
	return bytes.Repeat(line, n/len(line)+1)[:n]
}

// A database with tables that SQLite itself has added is not refused.
func TestOpenAfterAnalyze(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	ours(t, path)
	script(t, path, "ANALYZE", "VACUUM", "REINDEX")
	if n := mustCount(t, path, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'sqlite_stat%'"); n == 0 {
		t.Fatal("ANALYZE has made no table")
	}
	expectFile(t, workspaceOn(t, open(t, path), "alice"), "plan.md", "text")
}

// If another program adds an object to an open database, Verify and Check report it.
func TestVerifyFindsForeignObject(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	script(t, path, "CREATE TRIGGER steal AFTER INSERT ON versions BEGIN SELECT 1; END")
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	problems, err2 := s.Check(t.Context())
	for _, found := range [][]string{report.Problems, problems} {
		if err := errors.Join(err, err2); err != nil || len(found) != 1 || !strings.Contains(found[0], `the trigger "steal"`) {
			t.Errorf("the problems are %q, %v; want the trigger", found, err)
		}
	}
}

// An Open that gives up while another holds the turn does not disturb the holder later.
// The race detector watches.
func TestOpenGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Update(t.Context(), store.Owner{Tenant: "local", Agent: "a"}, func(store.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := sqlite.Open(ctx, path, sqlite.Options{}); !errors.Is(err, store.ErrBusy) {
			t.Errorf("Open() while another has the turn = %v, want ErrBusy", err)
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := sqlite.Open(ctx, path, sqlite.Options{}); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBusy) {
			t.Errorf("Open() that is cancelled while another has the turn = %v, want context.Canceled alone", err)
		}
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Databases in one folder never touch one another's files, whatever their names are. A
// name that could be that of another one's side file is refused.
func TestNamesSideBySide(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	neighbours := []string{"mem-new", "mem.db", "mem-new-1", "mem-backup"}
	for _, name := range neighbours {
		testkit.Must(t, create(filepath.Join(dir, name), name))
	}
	testkit.Must(t, create(filepath.Join(dir, "mem"), "mem"))
	for _, name := range neighbours { // after others were opened
		expectFile(t, workspaceOn(t, open(t, filepath.Join(dir, name)), "create"), name, name)
	}
	for _, name := range []string{"mem-wal", "mem-shm", "mem-journal", "mem-turn", "mem-write", "mem-reserve"} {
		if _, err := sqlite.Open(t.Context(), filepath.Join(dir, name), sqlite.Options{}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Open(%s) = %v, want ErrInvalid", name, err)
		}
		err := open(t, filepath.Join(dir, "mem")).Backup(t.Context(), filepath.Join(dir, name), sqlite.BackupOptions{})
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Backup(%s) = %v, want ErrInvalid", name, err)
		}
	}
}

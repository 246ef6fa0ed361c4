package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var killCount = flag.Int("kills", 0, "processes that the test of kills kills; 0: 6, 40 with SCRATCHPAD_TEST=all, 200 with SCRATCHPAD_TEST=full")

const (
	killProcesses = 4
	killWriters   = 6 // goroutines in each process, half of them in each agent
	killVersions  = 10
)

var (
	killAgents      = []string{"kill-0", "kill-1"}
	killSharedFiles = []string{"shared-0.txt", "shared-1.txt", "shared-gone.txt"} // the last one is deleted at times
	killSharedLogs  = []string{"shared-0.log", "shared-1.log"}
	killLimits      = workspace.Limits{Versions: killVersions, Entries: 1 << 40, Bytes: 1 << 40}
)

func killOwn(process, writer int) (agent, file, log string) {
	name := fmt.Sprintf("own-%d-%d", process, writer)
	return killAgents[writer%len(killAgents)], name + ".txt", name + ".log"
}

// A killLine is what a writer prints: with Do, the op that it begins; without, the
// answer.
type killLine struct {
	Op    string   `json:",omitempty"` // process.life.writer.number
	Do    string   `json:",omitempty"` // write (and edit), append, delete, restore, or delete log
	Agent string   `json:",omitempty"`
	Path  string   `json:",omitempty"`
	If    *int64   `json:",omitempty"`
	Hash  []string `json:",omitempty"` // of the content as it is to stand there, or of each entry

	Number  int64  `json:",omitempty"` // version, or the last entry
	Count   int64  `json:",omitempty"` // what a deletion removed
	Refused bool   `json:",omitempty"` // with ErrConflict, or ErrNotFound by an edit
	Closed  bool   `json:",omitempty"` // with ErrClosed: nothing was stored
	Error   string `json:",omitempty"` // another one: there must be none
	Mark    string `json:",omitempty"` // all that was printed before has been read

	at int64 // the number under which the op's first version or entry was seen
}

func (l killLine) print() {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	tell("%s", b)
}

func hashOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// --- the processes that write until they are killed

var _ = register("kill", func(args []string) error {
	path, mode, life, process := args[0], args[1], args[2], args[3]
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	var writes store.Store = db
	if mode == "early" {
		writes = earlyStore{db, new(sync.RWMutex)}
	}
	svc, err := workspace.New(writes, workspace.Options{Limits: killLimits, KeepDeleted: time.Hour})
	if err != nil {
		return err
	}
	var p int
	fmt.Sscan(process, &p)
	for g := range killWriters {
		w := &killWriter{name: fmt.Sprintf("%s.%s.%d", process, life, g), rand: rand.New(rand.NewPCG(rand.Uint64(), 0))}
		w.agent, w.file, w.log = killOwn(p, g)
		if w.ws, err = svc.Agent(w.agent); err != nil {
			return err
		}
		go w.run()
	}
	for line := range hear() {
		if line == "end" {
			break
		}
		killLine{Mark: line}.print()
	}
	return db.Close()
})

// earlyStore is a planted bug: it answers after the function has run and before the
// commit. Its reads wait for the commits, so that only a kill shows the bug.
type earlyStore struct {
	store.Store
	under *sync.RWMutex // held for reading while a commit is under way
}

func (s earlyStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	answer := make(chan error, 2)
	s.under.RLock()
	go func() {
		defer s.under.RUnlock()
		answer <- s.Store.Update(ctx, o, func(tx store.Tx) error {
			err := fn(tx)
			answer <- err
			return err
		})
	}()
	return <-answer
}

func (s earlyStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	s.under.Lock()
	defer s.under.Unlock()
	return s.Store.View(ctx, o, fn)
}

type killWriter struct {
	name string
	n    int
	rand *rand.Rand
	ws   *workspace.Workspace

	agent, file, log string // its own
	version          int64  // of its own file
	content          []byte // likewise; nil: none
	deleted          bool   // likewise, by this process, and its versions are kept
	closed           bool   // the store, by the process itself
}

func (w *killWriter) run() {
	w.version, w.content = w.read(w.file)
	for !w.closed {
		w.n++
		op := fmt.Sprintf("%s.%d", w.name, w.n)
		shared := killSharedFiles[w.rand.IntN(len(killSharedFiles))]
		switch d := w.rand.IntN(100); {
		case d < 30 && w.deleted:
			w.restore(op)
		case d < 15:
			w.write(op, w.file, nil)
		case d < 30:
			w.write(op, w.file, w.current())
		case d < 42:
			w.edit(op, w.file, w.version, w.content)
		case d < 46:
			w.remove(op, "delete", w.file)
		case d < 60:
			w.append(op, w.log)
		case d < 62:
			w.remove(op, "delete log", w.log)
		case d < 75:
			version, _ := w.read(shared)
			w.write(op, shared, &version)
		case d < 80:
			w.write(op, shared, nil)
		case d < 87:
			version, content := w.read(shared)
			w.edit(op, shared, version, content)
		case d < 88:
			w.remove(op, "delete", killSharedFiles[len(killSharedFiles)-1])
		default:
			w.append(op, killSharedLogs[w.rand.IntN(len(killSharedLogs))])
		}
	}
}

// current returns a condition on the writer's own file that must hold.
func (w *killWriter) current() *int64 {
	version := w.version
	if w.content == nil {
		version = 0
	}
	return &version
}

func (w *killWriter) read(path string) (int64, []byte) {
	r, err := w.ws.ReadFile(context.Background(), path, workspace.ReadOptions{})
	switch {
	case errors.Is(err, store.ErrClosed):
		w.closed = true
	case err != nil && !errors.Is(err, store.ErrNotFound):
		killLine{Op: w.name, Error: err.Error()}.print()
	}
	return r.Version, r.Content
}

func (w *killWriter) write(op, path string, ifVersion *int64) {
	content := fmt.Appendf(nil, "mark %s\nby %s\n%s\n", op, op, strings.Repeat("x", w.rand.IntN(2000)))
	killLine{Op: op, Do: "write", Agent: w.agent, Path: path, If: ifVersion, Hash: []string{hashOf(content)}}.print()
	r, err := w.ws.WriteFile(context.Background(), path, content, workspace.WriteOptions{IfVersion: ifVersion})
	w.wrote(op, path, r.Version, content, err)
}

// edit replaces the first line of the content that was read, unless the file has
// changed.
func (w *killWriter) edit(op, path string, version int64, content []byte) {
	old, rest, ok := bytes.Cut(content, []byte("\n"))
	if !ok {
		w.write(op, path, nil)
		return
	}
	content = fmt.Appendf(nil, "mark %s\n%s", op, rest)
	killLine{Op: op, Do: "write", Agent: w.agent, Path: path, If: &version, Hash: []string{hashOf(content)}}.print()
	r, err := w.ws.EditFile(context.Background(), path, string(old), "mark "+op, workspace.EditOptions{IfVersion: &version})
	w.wrote(op, path, r.Version, content, err)
}

func (w *killWriter) wrote(op, path string, version int64, content []byte, err error) {
	w.answer(killLine{Op: op, Number: version}, err)
	if err == nil && path == w.file {
		w.version, w.content, w.deleted = version, content, false
	}
}

// restore brings back the writer's own file, which it has deleted. The model knows the content.
func (w *killWriter) restore(op string) {
	killLine{Op: op, Do: "restore", Agent: w.agent, Path: w.file}.print()
	r, err := w.ws.RestoreFile(context.Background(), w.file, workspace.RestoreOptions{})
	w.answer(killLine{Op: op, Number: r.Version}, err)
	if err == nil {
		w.version, w.content = w.read(w.file)
		w.deleted = false
	}
}

func (w *killWriter) append(op, path string) {
	n := 1
	if w.rand.IntN(2) == 0 {
		n = 2 + w.rand.IntN(4)
	}
	entries, hashes := make([][]byte, n), make([]string, n)
	for i := range entries {
		entries[i] = fmt.Appendf(nil, "%s %d %d %s", op, i+1, n, strings.Repeat("y", w.rand.IntN(300)))
		hashes[i] = hashOf(entries[i])
	}
	killLine{Op: op, Do: "append", Agent: w.agent, Path: path, Hash: hashes}.print()
	r, err := w.ws.AppendLog(context.Background(), path, entries...)
	w.answer(killLine{Op: op, Number: r.Last}, err)
}

func (w *killWriter) remove(op, do, path string) {
	killLine{Op: op, Do: do, Agent: w.agent, Path: path}.print()
	var r workspace.DeleteResult
	var err error
	if do == "delete log" {
		r, err = w.ws.DeleteLog(context.Background(), path, workspace.DeleteLogOptions{})
	} else {
		r, err = w.ws.DeleteFile(context.Background(), path, workspace.DeleteOptions{})
	}
	w.answer(killLine{Op: op, Count: r.Removed + r.Versions}, err)
	if err == nil && path == w.file {
		w.content, w.deleted = nil, w.deleted || r.Deleted
	}
}

func (w *killWriter) answer(l killLine, err error) {
	switch {
	case errors.Is(err, store.ErrClosed):
		l.Closed, w.closed = true, true
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrNotFound): // the latter of an edit
		l.Refused = true
	case err != nil:
		l.Error = err.Error()
	}
	l.print()
}

// --- the test

type killRun struct {
	t     *testing.T
	m     *killModel
	path  string
	mode  string
	procs [killProcesses]*child
	lives int
	marks int
	seen  killSeen
	wg    sync.WaitGroup // the goroutines that follow
}

func (r *killRun) start(p int) {
	r.lives++
	r.m.mu.Lock()
	r.m.ended[p], r.m.lines[p] = false, 0
	r.m.mu.Unlock()
	r.procs[p] = startChild(r.t, "kill", r.path, r.mode, fmt.Sprint(r.lives), fmt.Sprint(p))
	r.wg.Go(func() { r.m.follow(p, r.procs[p]) })
}

// kill kills processes at a random moment, all at once.
func (r *killRun) kill(victims []int) {
	p := victims[rand.IntN(len(victims))]
	if lines := rand.IntN(testkit.Pick(400, 1200, 1200)); lines > 40 {
		r.m.await(p, func() bool { return r.m.lines[p] > lines })
	} else { // also while they start
		time.Sleep(time.Duration(lines) * time.Millisecond)
	}
	r.m.mu.Lock()
	for _, p := range victims {
		if r.m.ended[p] {
			r.m.fail("process %d ended by itself: %v", p, r.procs[p].reap())
		}
	}
	r.m.mu.Unlock()
	if rand.IntN(6) == 0 { // while they close the database
		for _, p := range victims {
			r.procs[p].say(r.t, "end")
		}
		time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond)
	}
	for _, p := range victims {
		r.procs[p].cmd.Process.Kill()
	}
	for _, p := range victims {
		r.m.await(p, func() bool { return false })
		r.procs[p].reap()
	}
}

// verify opens the database beside the living processes and checks it.
func (r *killRun) verify() error {
	store, err := sqlite.Open(r.t.Context(), r.path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("%v, expected the database to open after a kill", err)
	}
	m := r.m
	for _, agent := range killAgents {
		m.mu.Lock()
		acked := make(map[string]int64)
		for key, item := range m.items {
			acked[key] = item.acked
		}
		m.mu.Unlock()
		k, err := m.look(store, agent, r.seen)
		if err != nil {
			return errors.Join(err, store.Close())
		}
		r.mark()
		m.mu.Lock()
		m.check(k, acked, m.ended)
		for path, bytes := range k.bytes {
			if item := m.items[agent+"/"+path]; item.process < 0 {
				r.seen[agent+"/"+path] = struct{ last, bytes int64 }{k.states[path].number, bytes}
			}
		}
		m.mu.Unlock()
	}
	return store.Close()
}

// mark waits until the model has everything that the processes have printed so far.
func (r *killRun) mark() {
	r.marks++
	mark := fmt.Sprint(r.marks)
	for p, c := range r.procs {
		r.m.mu.Lock()
		ended := r.m.ended[p]
		r.m.mu.Unlock()
		if !ended {
			c.say(r.t, mark)
			r.m.await(p, func() bool { return r.m.marks[p] == mark })
		}
	}
}

// runKill kills writing processes until the given number is reached or something is
// wrong. It returns what is wrong, and the number of kills.
func runKill(t *testing.T, mode string, kills int) (problem string, killed int) {
	r := &killRun{t: t, m: newKillModel(), path: filepath.Join(t.TempDir(), "kill.db"), mode: mode, seen: make(killSeen)}
	all := []int{0, 1, 2, 3}
	for _, p := range all {
		r.start(p)
	}
	defer func() {
		for _, c := range r.procs {
			c.kill()
		}
		r.wg.Wait()
	}()
	for r.m.found() == "" && killed < kills {
		victims := []int{rand.IntN(killProcesses)}
		if rand.IntN(5) == 0 || killed+killProcesses >= kills {
			victims = all
		}
		r.kill(victims)
		killed += len(victims)
		if len(victims) == killProcesses && (killed >= kills || rand.IntN(8) == 0) {
			clear(r.seen) // this check reads everything again, and the last one does
		}
		if err := r.verify(); err != nil {
			return err.Error(), killed
		}
		if killed < kills {
			for _, p := range victims {
				r.start(p)
			}
		}
	}
	checkIntegrity(t, r.path)
	t.Logf("%d kills, %d acknowledged operations", killed, r.m.acks)
	return r.m.found(), killed
}

func TestAcknowledgedWriteSurvivesKill(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	n := testkit.Pick(6, 40, 200)
	if *killCount > 0 {
		n = *killCount
	}
	if problem, killed := runKill(t, "", n); problem != "" {
		t.Fatalf("after %d kills: %s", killed, problem)
	}
}

func TestKillCatchesEarlyAnswer(t *testing.T) {
	t.Parallel()
	testkit.SkipUnlessLong(t)
	const most = 60
	problem, killed := runKill(t, "early", most)
	if problem == "" {
		t.Fatalf("a store that answers before the commit passed %d kills, expected a loss to be found", most)
	}
	t.Logf("after %d kills: %s", killed, problem)
}

// Processes that create the same database are killed on the way. Nothing half made is
// left, and no acknowledged write is lost.
func TestKillCreate(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	made := 0
	for i := range testkit.Pick(3, 15, 60) {
		path := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		if i%2 == 1 {
			testkit.Must(t, os.WriteFile(path, nil, 0o600))
		}
		children := startChildren(t, killProcesses, "create")
		for _, c := range children {
			c.expect(t, "ready")
		}
		for _, c := range children {
			c.say(t, path)
		}
		time.Sleep(time.Duration(rand.IntN(40_000)) * time.Microsecond)
		for _, c := range children {
			c.cmd.Process.Kill()
		}
		var wrote []string
		for p, c := range children {
			for line := range c.lines {
				if line != "created" {
					t.Errorf("a process printed %q, expected it to create %s", line, path)
				}
				wrote = append(wrote, fmt.Sprintf("of-%d", p))
			}
			c.reap()
		}
		made += len(wrote)
		store := open(t, path)
		ws := workspaceOn(t, store, "create")
		for _, name := range wrote {
			expectFile(t, ws, name, name)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		checkIntegrity(t, path)
	}
	t.Logf("%d writes were acknowledged", made)
}

// checkIntegrity runs SQLite's own integrity check.
func checkIntegrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	testkit.Must(t, err)
	defer db.Close()
	var said string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
		t.Errorf("integrity_check said %q, %v, expected ok", said, err)
	}
}

package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// damageSeed seeds what the databases hold and where they are damaged. A test
// logs it; the name of a case says what was damaged.
const damageSeed = 20260917

const planWrites = 90 // few enough for SQLite not to fold the log by itself

func init() {
	roles["damage-fill"] = func(args []string) error {
		return fillAndCrash(context.Background(), args[0], damagePlan(), len(args) > 1)
	}
}

// fillAndCrash leaves the write-ahead log as a crash does; folded: with its
// first half in the database already.
func fillAndCrash(ctx context.Context, path string, p *plan, folded bool) error {
	s, err := sqlite.Open(ctx, path, quiet)
	if err != nil {
		return err
	}
	half := 0
	if folded {
		half = len(p.writes) / 2
		if err := p.run(ctx, s, 0, half); err != nil {
			return err
		}
		// A reader keeps the log from being begun anew.
		err := s.View(ctx, workspace.Owner{}, func(r workspace.Reader) error {
			_, err := r.Owner()
			return errors.Join(err, fold(ctx, path), p.run(ctx, s, half, len(p.writes)))
		})
		if err != nil {
			return err
		}
	} else if err := p.run(ctx, s, 0, len(p.writes)); err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	self.Kill()
	select {}
}

// fold runs a checkpoint on a connection of its own.
func fold(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	var busy, frames, folded int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &folded)
	if err == nil && (folded == 0 || folded != frames) {
		err = fmt.Errorf("of %d frames %d were folded", frames, folded)
	}
	return errors.Join(err, db.Close())
}

var quiet = sqlite.Options{Logger: slog.New(slog.DiscardHandler)}

// answers are what reading a whole store gives: by question, such as
// "version alice plan.md 3", all that is told about it.
type answers map[string]string

// plan is a sequence of writes, one transaction each, and what there is to read
// after each of them. It knows the rules on its own, not through workspace.
type plan struct {
	writes []planned
	states []answers // states[j]: after j writes
}

type planned struct {
	agent, path string
	author      workspace.Author
	now         time.Time
	content     []byte
	entries     [][]byte // of an append
	remove      bool     // the file or, with log, the log
	log         bool
}

var planAgents = []string{"alice", "bob", "carol"}

func makePlan(seed uint64, n int) *plan {
	r := rand.New(rand.NewPCG(seed, 0))
	m := model{}
	p := &plan{states: []answers{m.answers()}}
	now := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	for i := range n {
		now = now.Add(time.Duration(1+r.IntN(1e6)) * time.Microsecond)
		w := planned{
			agent: planAgents[r.IntN(len(planAgents))], now: now,
			author: workspace.Author{Client: fmt.Sprintf("client-%d", r.IntN(3)), Version: "1.0", Key: fmt.Sprintf("key-%d", i)},
		}
		switch kind := r.IntN(20); {
		case kind < 12:
			w.path = fmt.Sprintf("notes/file-%d.md", r.IntN(7))
			w.content = randomText(r, [...]int{0, 1, 100, 900, 5000, 5000, 20_000, 200_000}[r.IntN(8)])
		case kind < 18:
			w.path, w.log = fmt.Sprintf("log-%d", r.IntN(2)), true
			for range 1 + r.IntN(4) {
				w.entries = append(w.entries, randomText(r, r.IntN(1500)))
			}
		case kind < 19:
			w.path, w.remove = fmt.Sprintf("notes/file-%d.md", r.IntN(7)), true
		default:
			w.path, w.remove, w.log = fmt.Sprintf("log-%d", r.IntN(2)), true, true
		}
		p.writes = append(p.writes, w)
		m.apply(w)
		p.states = append(p.states, m.answers())
	}
	return p
}

// randomText has about n bytes: lines, a NUL, and characters of several bytes.
func randomText(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "%x é\x00%d\n", r.Uint64(), r.IntN(10))
	}
	return b.Bytes()[:min(n, b.Len())/2*2][:lastRune(b.Bytes(), n)]
}

// lastRune returns the largest end of whole characters up to n.
func lastRune(b []byte, n int) int {
	n = min(n, len(b)) / 2 * 2
	for n > 0 && n < len(b) && b[n]&0xc0 == 0x80 {
		n--
	}
	return n
}

func (p *plan) last() answers { return p.states[len(p.states)-1] }

// run makes the writes from one to before another.
func (p *plan) run(ctx context.Context, s workspace.Store, from, to int) error {
	now := time.Time{}
	svc, err := workspace.New(s, workspace.Options{Now: func() time.Time { return now }})
	if err != nil {
		return err
	}
	for _, w := range p.writes[from:to] {
		ws, err := svc.Agent(w.agent)
		if err != nil {
			return err
		}
		ws, now = ws.As(w.author), w.now
		switch {
		case w.remove && w.log:
			_, err = ws.DeleteLog(ctx, w.path, workspace.DeleteOptions{})
		case w.remove:
			_, err = ws.DeleteFile(ctx, w.path, workspace.DeleteOptions{})
		case w.log:
			_, err = ws.AppendLog(ctx, w.path, w.entries...)
		default:
			_, err = ws.WriteFile(ctx, w.path, w.content, workspace.WriteOptions{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// model is what each agent has.
type model map[string]*modelAgent

type modelAgent struct {
	files, logs map[string]*modelPath
	operations  int
}

// modelPath is a file with its versions or a log with its entries.
type modelPath struct {
	number           int64 // the highest ever given
	kept             []modelItem
	created, updated time.Time
}

type modelItem struct {
	number  int64
	content []byte
	author  workspace.Author
	time    time.Time
}

func (m model) apply(w planned) {
	a := m[w.agent]
	if a == nil {
		a = &modelAgent{files: map[string]*modelPath{}, logs: map[string]*modelPath{}}
	}
	paths, items := a.files, [][]byte{w.content}
	if w.log {
		paths, items = a.logs, w.entries
	}
	p := paths[w.path]
	if p == nil {
		p = &modelPath{}
	}
	if w.remove {
		if m[w.agent] == nil {
			return // deleting nothing leaves no trace of an agent that never wrote
		}
		a.operations++
		p.kept = nil
		return
	}
	m[w.agent], paths[w.path] = a, p
	a.operations++
	if len(p.kept) == 0 {
		p.created = w.now
	}
	p.updated = w.now
	for _, content := range items {
		p.number++
		p.kept = append(p.kept, modelItem{p.number, content, w.author, w.now})
	}
	if !w.log && len(p.kept) > 10 {
		p.kept = slices.Clone(p.kept[1:])
	}
}

func (m model) answers() answers {
	all := answers{}
	for name, a := range m {
		var u workspace.Usage
		u.Operations = int64(a.operations)
		for path, f := range a.files {
			if len(f.kept) == 0 {
				continue
			}
			u.Files++
			kept := int64(0)
			for _, v := range f.kept {
				kept += int64(len(v.content))
				all.version(name, path, v.number, int64(len(v.content)), sha256.Sum256(v.content), v.author, v.time)
				read := workspace.ReadResult{Path: path, Current: f.number, Version: v.number, Content: v.content, Author: v.author, Time: v.time}
				all.content(name, path, v.number, read)
				if v.number == f.number {
					all.current(name, path, read)
				}
			}
			u.Bytes += kept
			all.file(name, workspace.FileInfo{
				Path: path, Version: f.number, Bytes: int64(len(f.kept[len(f.kept)-1].content)), Kept: kept, Created: f.created, Updated: f.updated,
			})
		}
		for path, l := range a.logs {
			if len(l.kept) == 0 {
				continue
			}
			u.Logs++
			size := int64(0)
			for _, e := range l.kept {
				size += int64(len(e.content))
				all.entry(name, path, workspace.Entry{ID: e.number, Author: e.author, Time: e.time, Content: e.content})
			}
			u.Bytes += size
			u.Entries += int64(len(l.kept))
			all.log(name, workspace.LogInfo{Path: path, Entries: int64(len(l.kept)), Bytes: size, Last: l.number, Created: l.created, Updated: l.updated})
		}
		all.usage(name, u)
		all["agent "+name] = fmt.Sprintf("%+v", u)
	}
	return all
}

func (a answers) usage(agent string, u workspace.Usage) {
	u.Operations = 0 // counts the reading itself
	a["usage "+agent] = fmt.Sprintf("%+v", u)
}

func (a answers) file(agent string, f workspace.FileInfo) {
	a["file "+agent+" "+f.Path] = fmt.Sprintf("%d %d %d %v %v", f.Version, f.Bytes, f.Kept, f.Created.UTC(), f.Updated.UTC())
}

func (a answers) version(agent, path string, n, size int64, sum [sha256.Size]byte, author workspace.Author, at time.Time) {
	a[fmt.Sprintf("history %s %s %d", agent, path, n)] = fmt.Sprintf("%d %x %q %v", size, sum, author, at.UTC())
}

// content is the answer to the question for version n.
func (a answers) content(agent, path string, n int64, v workspace.ReadResult) {
	a[fmt.Sprintf("version %s %s %d", agent, path, n)] = fmt.Sprintf("%s %d %d %x %q %v", v.Path, v.Version, len(v.Content), sha256.Sum256(v.Content), v.Author, v.Time.UTC())
}

func (a answers) current(agent, path string, v workspace.ReadResult) {
	a["current "+agent+" "+path] = fmt.Sprintf("%d %d %d %x %q %v", v.Current, v.Version, len(v.Content), sha256.Sum256(v.Content), v.Author, v.Time.UTC())
}

func (a answers) log(agent string, l workspace.LogInfo) {
	a["log "+agent+" "+l.Path] = fmt.Sprintf("%d %d %d %v %v", l.Entries, l.Bytes, l.Last, l.Created.UTC(), l.Updated.UTC())
}

func (a answers) entry(agent, path string, e workspace.Entry) {
	a[fmt.Sprintf("entry %s %s %d", agent, path, e.ID)] = fmt.Sprintf("%x %q %v", sha256.Sum256(e.Content), e.Author, e.Time.UTC())
}

// reading is what a store answered.
type reading struct {
	answers
	errs  map[string]error // by the beginning of the questions that it leaves open
	stuck int              // pages of logs that promise more and never end
}

// readAll asks everything there is to ask, and for each version that is wanted.
func readAll(ctx context.Context, s workspace.Store, want answers) (*reading, error) {
	r := &reading{answers: answers{}, errs: map[string]error{}}
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		return r, err
	}
	agents, err := svc.Agents(ctx, "", 0)
	r.note("agent ", err)
	for _, a := range agents {
		r.answers["agent "+a.Agent] = fmt.Sprintf("%+v", a.Usage)
	}
	for _, agent := range planAgents {
		ws, err := svc.Agent(agent)
		if err != nil {
			return r, err
		}
		u, err := ws.Usage(ctx)
		r.note("usage "+agent, err)
		if u.Usage != (workspace.Usage{Operations: u.Operations}) {
			r.usage(agent, u.Usage)
		}
		r.readFiles(ctx, ws, want)
		r.readLogs(ctx, ws, want)
	}
	return r, nil
}

func (r *reading) note(question string, err error) {
	if err != nil {
		r.errs[question] = err
	}
}

func (r *reading) readFiles(ctx context.Context, ws *workspace.Workspace, want answers) {
	agent := ws.Agent()
	paths := want.paths("file " + agent + " ")
	for page := (workspace.FileList{More: true}); page.More; {
		var err error
		page, err = ws.ListFiles(ctx, workspace.ListOptions{After: page.Next, Limit: 5})
		r.note("file "+agent+" ", err)
		for _, f := range page.Files {
			r.file(agent, f)
			paths[f.Path] = true
		}
	}
	for path := range paths {
		current, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		r.note("current "+agent+" "+path, err)
		if err == nil {
			r.current(agent, path, current)
		}
		numbers := want.paths("version " + agent + " " + path + " ")
		versions, err := ws.History(ctx, path)
		r.note("history "+agent+" "+path+" ", err)
		if err != nil {
			versions = nil
		}
		for _, v := range versions {
			r.version(agent, path, v.Version, v.Bytes, v.SHA256, v.Author, v.Time)
			numbers[strconv.FormatInt(v.Version, 10)] = true
		}
		for number := range numbers {
			n, _ := strconv.ParseInt(number, 10, 64)
			v, err := ws.ReadFile(ctx, path, workspace.ReadOptions{Version: n})
			r.note("version "+agent+" "+path+" "+number, err)
			if err == nil {
				r.content(agent, path, n, v)
			}
		}
	}
}

func (r *reading) readLogs(ctx context.Context, ws *workspace.Workspace, want answers) {
	agent := ws.Agent()
	paths := want.paths("log " + agent + " ")
	list, err := ws.ListLogs(ctx, workspace.ListOptions{})
	r.note("log "+agent+" ", err)
	for _, l := range list.Logs {
		r.log(agent, l)
		paths[l.Path] = true
	}
	for path := range paths {
		for page := (workspace.LogPage{More: true}); page.More; {
			before := page.Last
			page, err = ws.ReadLog(ctx, path, workspace.ReadLogOptions{Since: page.Last, Limit: 9})
			r.note("entry "+agent+" "+path+" ", err)
			for _, e := range page.Entries {
				r.entry(agent, path, e)
			}
			if page.More && page.Last == before {
				r.stuck++
				break
			}
		}
	}
}

// paths returns what follows the prefix in the questions.
func (a answers) paths(prefix string) map[string]bool {
	found := map[string]bool{}
	for q := range a {
		if rest, ok := strings.CutPrefix(q, prefix); ok {
			found[rest] = true
		}
	}
	return found
}

// verdict compares what was read with what must be there.
type verdict struct {
	wrong   []string // answers that are not those that were acknowledged
	open    int      // questions answered with a typed error
	omitted []string // neither answered nor refused
}

func (r *reading) judge(want answers) (v verdict) {
	for q, got := range r.answers {
		if want[q] != got {
			v.wrong = append(v.wrong, fmt.Sprintf("%s = %s, want %s", q, got, want[q]))
		}
	}
	for q, err := range r.errs {
		if !hasKind(err) {
			v.wrong = append(v.wrong, fmt.Sprintf("%s: error without a kind: %v", q, err))
		}
	}
	for q := range want {
		if _, ok := r.answers[q]; ok {
			continue
		}
		if r.refused(q) {
			v.open++
		} else {
			v.omitted = append(v.omitted, q)
		}
	}
	return v
}

func (r *reading) refused(question string) bool {
	for q := range r.errs {
		if strings.HasPrefix(question, q) {
			return true
		}
	}
	return false
}

// hasKind reports whether an error is one that a caller can tell.
func hasKind(err error) bool {
	return slices.ContainsFunc([]error{
		workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict,
		workspace.ErrCorrupt, workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown, workspace.ErrReadOnly,
		workspace.ErrUnsupported, workspace.ErrClosed,
	}, func(kind error) bool { return errors.Is(err, kind) })
}

// damaged is a database that is copied and damaged again and again.
type damaged struct {
	plan    *plan
	db, wal []byte
}

// The files are made once. Each test damages copies of them.
var (
	damagePlan = sync.OnceValue(func() *plan { return makePlan(damageSeed, planWrites) })

	onceCrashed      = sync.OnceValues(func() (damaged, error) { return crash() })
	onceFolded       = sync.OnceValues(func() (damaged, error) { return crash("folded") })
	onceCheckpointed = sync.OnceValues(checkpoint)
)

// crashed returns the files of a process that was killed after the writes of the plan,
// all of which are in the log.
func crashed(t *testing.T) damaged {
	t.Helper()
	d, err := onceCrashed()
	testkit.Must(t, err)
	return d
}

// crashedFolded returns the same with the first half of the log in the database too.
func crashedFolded(t *testing.T) damaged {
	t.Helper()
	d, err := onceFolded()
	testkit.Must(t, err)
	return d
}

// checkpointed returns a database that was closed after the writes of the plan.
func checkpointed(t *testing.T) damaged {
	t.Helper()
	d, err := onceCheckpointed()
	testkit.Must(t, err)
	return d
}

func crash(how ...string) (d damaged, err error) {
	dir, err := os.MkdirTemp("", "crashed-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "crashed.db")
	cmd := roleCommand(context.Background(), "damage-fill", append([]string{path}, how...)...)
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() == 1 {
		return d, fmt.Errorf("the filling process was not killed: %v", err)
	}
	db, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	wal, err := os.ReadFile(path + "-wal")
	if frames := len(wal) / (pageSize + 24); err == nil && (frames < 300 || frames >= 1000) {
		err = fmt.Errorf("the log has %d frames: it was folded, here or by SQLite", frames)
	}
	return damaged{damagePlan(), db, wal}, err
}

func checkpoint() (d damaged, err error) {
	dir, err := os.MkdirTemp("", "checkpointed-")
	if err != nil {
		return d, err
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "checkpointed.db")
	s, err := sqlite.Open(ctx, path, quiet)
	if err != nil {
		return d, err
	}
	if err := errors.Join(damagePlan().run(ctx, s, 0, planWrites), s.Close()); err != nil {
		return d, err
	}
	db, err := os.ReadFile(path)
	return damaged{plan: damagePlan(), db: db}, err
}

func readBytes(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open writes the files to a fresh folder and opens them, or returns why not,
// in which case they must have stayed as they were.
func (d damaged) open(t *testing.T) (*sqlite.Store, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "damaged.db")
	files := map[string][]byte{path: d.db}
	if d.wal != nil {
		files[path+"-wal"] = d.wal
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.Open(t.Context(), path, quiet)
	if err == nil {
		return s, nil
	}
	if !hasKind(err) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open = %v; want an error with a kind that names the path", err)
	}
	for name, content := range files {
		if sha256.Sum256(readBytes(t, name)) != sha256.Sum256(content) {
			t.Errorf("Open = %v, and it has changed %s", err, filepath.Base(name))
		}
	}
	return nil, err
}

// read opens the files and reads everything.
func (d damaged) read(t *testing.T, want answers) (*reading, error) {
	t.Helper()
	s, err := d.open(t)
	if err != nil {
		return nil, err
	}
	defer s.Close() // may fail on what is damaged
	r, err := readAll(t.Context(), s, want)
	if err != nil {
		t.Fatal(err)
	}
	return r, nil
}

// flip returns a copy in which a bit is flipped, or a byte made another one.
func flip(r *rand.Rand, b []byte, at int) (string, []byte) {
	b = bytes.Clone(b)
	mask := byte(1) << r.IntN(8)
	kind := "bit"
	if r.IntN(4) == 0 {
		kind, mask = "byte", byte(1+r.IntN(255))
	}
	b[at] ^= mask
	return fmt.Sprintf("%s-%d-%02x", kind, at, mask), b
}

// cut returns a copy that ends early: in every second case at the end of a
// frame, or within 30 bytes of it.
func cut(r *rand.Rand, wal []byte) (string, []byte) {
	const header, frame = 32, 24 + pageSize
	at := r.IntN(len(wal))
	if r.IntN(2) == 0 {
		at = header + r.IntN((len(wal)-header)/frame)*frame
		if r.IntN(2) == 0 {
			at += r.IntN(60) - 30
		}
	}
	return fmt.Sprintf("cut-%d", at), bytes.Clone(wal[:at])
}

func (d damaged) hurtLog(r *rand.Rand) (name string, hurt damaged) {
	hurt = d
	if r.IntN(2) == 0 {
		name, hurt.wal = flip(r, d.wal, r.IntN(len(d.wal)))
	} else {
		name, hurt.wal = cut(r, d.wal)
	}
	return name, hurt
}

// tally counts over cases that run side by side.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what] += n
}

// A log that was cut or in which something was flipped leaves what was committed
// up to some write, and nothing of what came after.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	d := crashed(t)
	r := rand.New(rand.NewPCG(damageSeed, 1))
	t.Logf("seed %d, database %d bytes, log %d bytes", damageSeed, len(d.db), len(d.wal))
	var c tally
	t.Run("cases", func(t *testing.T) {
		for range pick(30, 1000) {
			name, hurt := d.hurtLog(r)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, err := hurt.read(t, nil)
				if err != nil {
					c.add("Open refused", 1)
					return
				}
				for q, err := range got.errs {
					t.Errorf("%s: %v", q, err)
				}
				n := d.plan.prefix(got.answers)
				switch {
				case n < 0:
					t.Errorf("what is there is no committed prefix: %s", got.judge(d.plan.last()))
				case n == len(d.plan.writes):
					c.add("everything was there", 1)
				default:
					c.add("a prefix was there", 1)
				}
			})
		}
	})
	t.Logf("cases: %v", c.counts)
}

// prefix returns after how many writes the answers were right, or -1.
func (p *plan) prefix(got answers) int {
	for n := len(p.writes); n >= 0; n-- {
		if maps.Equal(p.states[n], got) {
			return n
		}
	}
	return -1
}

// Where a part of the log was folded into the database before the crash, a log
// that is damaged in that part takes pages back to what they were. SQLite cannot
// tell; each answer is still one that was right at some time, or an error.
func TestDamagedFoldedLog(t *testing.T) {
	t.Parallel()
	d := crashedFolded(t)
	r := rand.New(rand.NewPCG(damageSeed, 3))
	ever := map[string]map[string]bool{}
	for _, state := range d.plan.states {
		for q, answer := range state {
			if ever[q] == nil {
				ever[q] = map[string]bool{}
			}
			ever[q][answer] = true
		}
	}
	var c tally
	t.Run("cases", func(t *testing.T) {
		for range pick(20, 200) {
			name, hurt := d.hurtLog(r)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, err := hurt.read(t, d.plan.last())
				if err != nil {
					c.add("Open refused", 1)
					return
				}
				for q, answer := range got.answers {
					if !ever[q][answer] {
						t.Errorf("%s = %s, which it never was", q, answer)
					}
				}
				for q, err := range got.errs {
					if !hasKind(err) {
						t.Errorf("%s: error without a kind: %v", q, err)
					}
				}
				switch {
				case d.plan.prefix(got.answers) == len(d.plan.writes):
					c.add("everything was there", 1)
				case d.plan.prefix(got.answers) >= 0:
					c.add("a prefix was there", 1)
				default:
					c.add("a mixture or errors", 1)
				}
			})
		}
	})
	t.Logf("seed %d, database %d bytes, log %d bytes; cases: %v", damageSeed, len(d.db), len(d.wal), c.counts)
}

func (v verdict) String() string {
	return fmt.Sprintf("%d wrong, %d refused, %d omitted\n%s", len(v.wrong), v.open, len(v.omitted), strings.Join(v.wrong[:min(3, len(v.wrong))], "\n"))
}

// Whatever bit of the database is flipped, an answer is the right one or an
// error with a kind. Without the hashes, some would be wrong.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	d := checkpointed(t)
	r := rand.New(rand.NewPCG(damageSeed, 2))
	trees := treePages(d.db)
	var c tally
	t.Run("cases", func(t *testing.T) {
		for i := range pick(40, 300) {
			hurt := d
			var name string
			switch i % 6 { // most of the bytes are content, which is the easy part
			case 0:
				name, hurt.db = flip(r, d.db, r.IntN(100))
			case 1, 2:
				name, hurt.db = flip(r, d.db, r.IntN(len(d.db)))
			default:
				name, hurt.db = flip(r, d.db, trees[r.IntN(len(trees))]+r.IntN(pageSize))
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				hurt.judge(t, &c)
			})
		}
	})
	t.Logf("seed %d, database %d bytes, %d of %d pages are of trees; %d answers each", damageSeed, len(d.db), len(trees), len(d.db)/pageSize, len(d.plan.last()))
	t.Logf("cases: %v", c.counts)
	// The proof can fail: the bytes below the hashes are wrong.
	if c.counts["contents wrong below the hashes"] == 0 {
		t.Error("no flip reached any content, so that this proves nothing")
	}
}

const pageSize = 4096

// treePages returns where the pages begin that look like those of a B-tree:
// https://www.sqlite.org/fileformat2.html, part 1.6.
func treePages(db []byte) (at []int) {
	for i := 0; i < len(db); i += pageSize {
		if i == 0 || slices.Contains([]byte{2, 5, 10, 13}, db[i]) && binary.BigEndian.Uint16(db[i+3:]) < pageSize/4 {
			at = append(at, i)
		}
	}
	return at
}

// A key that leads to another row, or that stands out of order so that a search
// ends at it, is damage too, although that row's own checksum is right.
func TestDamagedKeys(t *testing.T) {
	t.Parallel()
	d := checkpointed(t)
	r := rand.New(rand.NewPCG(damageSeed, 4))
	keys := leafKeys(d.db)
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:min(len(keys), pick(30, 300))]
	var c tally
	t.Run("cases", func(t *testing.T) {
		for _, key := range keys {
			at, mask := key.owner, byte(0x10)
			if r.IntN(3) == 0 {
				at, mask = key.end-1, byte(1+r.IntN(63))
			}
			hurt := d
			hurt.db = bytes.Clone(d.db)
			hurt.db[at] ^= mask
			t.Run(fmt.Sprintf("bit-%d-%02x", at, mask), func(t *testing.T) {
				t.Parallel()
				hurt.judge(t, &c)
			})
		}
	})
	t.Logf("seed %d; %d cases: %v", damageSeed, len(keys), c.counts)
}

// leafKey is a key on a leaf of an index or of a table without rowids.
type leafKey struct {
	owner int // where the last letters of its owner stand
	end   int // in an index of a table with rowids, after the rowid's low byte
}

func leafKeys(db []byte) (keys []leafKey) {
	for _, page := range treePages(db) {
		if db[page] != 10 {
			continue
		}
		for i := range int(binary.BigEndian.Uint16(db[page+3:])) {
			cell := page + int(binary.BigEndian.Uint16(db[page+8+2*i:]))
			size, n := int(db[cell]), 1
			if size >= 0x80 {
				size, n = size&0x7f<<7|int(db[cell+1]), 2
			}
			end := cell + n + size
			if size >= 1000 || end > page+pageSize { // it goes on elsewhere
				continue
			}
			if owner := bytes.Index(db[cell:end], []byte("local/")); owner >= 0 {
				keys = append(keys, leafKey{cell + owner + len("local/") + 1, end})
			}
		}
	}
	return keys
}

// judge reads everything and fails on a wrong answer.
func (d damaged) judge(t *testing.T, c *tally) {
	s, err := d.open(t)
	if err != nil {
		c.add("Open refused", 1)
		return
	}
	defer s.Close() // may fail on what is damaged
	got, err := readAll(t.Context(), s, d.plan.last())
	if err != nil {
		t.Fatal(err)
	}
	v := got.judge(d.plan.last())
	if len(v.wrong) > 0 {
		t.Errorf("wrong answers: %s", v)
	}
	switch {
	case v.open+len(v.omitted) == 0:
		c.add("no trace", 1) // free space, or what no answer depends on
	case len(v.omitted) > 0:
		c.add("something omitted", 1)
	case v.open == 1:
		c.add("one answer refused", 1)
	default:
		c.add("several answers refused", 1)
	}
	c.add("answers refused", v.open)
	c.add("logs that promise more and never end", got.stuck)
	for _, q := range v.omitted {
		c.add("omitted without an error: "+strings.Fields(q)[0], 1)
	}
	c.add("contents wrong below the hashes", rawErrors(t, s, d.plan.last()))
}

// rawErrors counts the versions whose bytes come from the store, without an
// error, as others than were written.
func rawErrors(t *testing.T, s workspace.Store, want answers) (n int) {
	for q, answer := range want {
		words := strings.Fields(q)
		if words[0] != "version" {
			continue
		}
		number, _ := strconv.ParseInt(words[3], 10, 64)
		var v workspace.Version
		err := s.View(t.Context(), workspace.Owner{Tenant: "local", Agent: words[1]}, func(r workspace.Reader) (err error) {
			v, err = r.Version(words[2], number)
			return err
		})
		if err == nil && strings.Fields(answer)[3] != fmt.Sprintf("%x", sha256.Sum256(v.Content)) {
			n++
		}
	}
	return n
}

// What is read without damage is all that was written, from both kinds of files.
func TestUndamaged(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]damaged{"crashed": crashed(t), "folded": crashedFolded(t), "checkpointed": checkpointed(t)} {
		t.Run(name, func(t *testing.T) {
			got, err := d.read(t, d.plan.last())
			if err != nil {
				t.Fatal(err)
			}
			if v := got.judge(d.plan.last()); len(v.wrong)+v.open+len(v.omitted) > 0 {
				t.Errorf("%s\n%v\n%v", v, v.omitted, got.errs)
			}
		})
	}
}

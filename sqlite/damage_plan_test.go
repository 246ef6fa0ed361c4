package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// answers are everything that can be read from a store, by question, such as "version
// alice plan.md 3".
type answers map[string]string

// plan is a sequence of writes, each in its own transaction, with the answers after
// each of them. It applies the rules itself, not through package workspace.
type plan struct {
	writes []planned
	states []answers // states[j]: after j writes
}

type planned struct {
	agent, path string
	author      store.Author
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
			author: store.Author{Client: fmt.Sprintf("client-%d", r.IntN(3)), Version: "1.0", Key: fmt.Sprintf("key-%d", i)},
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

// run makes the writes from index from to before index to.
func (p *plan) run(ctx context.Context, s store.Store, from, to int) error {
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
			_, err = ws.DeleteLog(ctx, w.path, workspace.DeleteLogOptions{})
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
	changes     []store.Change
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
	author  store.Author
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
		if len(p.kept) > 0 {
			a.change(w, store.OpDelete, p.number, 0)
		}
		p.kept = nil
		return
	}
	m[w.agent], paths[w.path] = a, p
	a.operations++
	op, before := store.OpEdit, p.number
	if len(p.kept) == 0 {
		op, before = store.OpCreate, 0
		p.created = w.now
	}
	p.updated = w.now
	a.change(w, op, before, p.number+int64(len(items)))
	for _, content := range items {
		p.number++
		p.kept = append(p.kept, modelItem{p.number, content, w.author, w.now})
	}
	if !w.log && len(p.kept) > 10 {
		p.kept = slices.Clone(p.kept[1:])
	}
}

// change adds a row to the journal.
func (a *modelAgent) change(w planned, op store.ChangeOp, before, after int64) {
	c := store.Change{Revision: int64(len(a.changes) + 1), Op: op, Kind: store.KindFile, Path: w.path, Before: before, After: after, Author: w.author, Time: w.now}
	if w.log {
		c.Kind, c.Entries = store.KindLog, int64(len(w.entries))
		if op != store.OpDelete {
			c.Op = store.OpAppend
		}
	}
	a.changes = append(a.changes, c)
}

func (m model) answers() answers {
	all := answers{}
	for name, a := range m {
		var u store.Usage
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
				Path: path, Version: f.number, Bytes: int64(len(f.kept[len(f.kept)-1].content)), Versions: int64(len(f.kept)), Kept: kept, Created: f.created, Updated: f.updated,
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
				all.entry(name, path, store.Entry{ID: e.number, Author: e.author, Time: e.time, Content: e.content})
			}
			u.Bytes += size
			u.Entries += int64(len(l.kept))
			all.log(name, store.LogHead{Path: path, First: l.number - int64(len(l.kept)) + 1, Bytes: size, Last: l.number, Created: l.created, Updated: l.updated})
		}
		for _, c := range a.changes {
			all.change(name, c)
		}
		all.usage(name, u)
		all["agent "+name] = fmt.Sprintf("%+v", u)
	}
	return all
}

func (a answers) usage(agent string, u store.Usage) {
	u.Operations = 0 // counts the reading itself
	a["usage "+agent] = fmt.Sprintf("%+v", u)
}

func (a answers) file(agent string, f workspace.FileInfo) {
	a["file "+agent+" "+f.Path] = fmt.Sprintf("%d %d %d %v %v", f.Version, f.Bytes, f.Kept, f.Created.UTC(), f.Updated.UTC())
}

func (a answers) version(agent, path string, n, size int64, sum [sha256.Size]byte, author store.Author, at time.Time) {
	a[fmt.Sprintf("history %s %s %d", agent, path, n)] = fmt.Sprintf("%d %x %q %v", size, sum, author, at.UTC())
}

// content is the answer to the question for version n.
func (a answers) content(agent, path string, n int64, v workspace.ReadResult) {
	a[fmt.Sprintf("version %s %s %d", agent, path, n)] = fmt.Sprintf("%s %d %d %x %q %v", v.Path, v.Version, len(v.Content), sha256.Sum256(v.Content), v.Author, v.Time.UTC())
}

func (a answers) current(agent, path string, v workspace.ReadResult) {
	a["current "+agent+" "+path] = fmt.Sprintf("%d %d %d %x %q %v", v.Current, v.Version, len(v.Content), sha256.Sum256(v.Content), v.Author, v.Time.UTC())
}

func (a answers) log(agent string, l store.LogHead) {
	a["log "+agent+" "+l.Path] = fmt.Sprintf("%d %d %d %v %v", l.Entries(), l.Bytes, l.Last, l.Created.UTC(), l.Updated.UTC())
}

func (a answers) entry(agent, path string, e store.Entry) {
	a[fmt.Sprintf("entry %s %s %d", agent, path, e.ID)] = fmt.Sprintf("%x %q %v", sha256.Sum256(e.Content), e.Author, e.Time.UTC())
}

func (a answers) change(agent string, c store.Change) {
	c.Time = c.Time.UTC()
	a[fmt.Sprintf("change %s %d", agent, c.Revision)] = fmt.Sprintf("%+v", c)
}

// reading is what a store has answered.
type reading struct {
	answers
	errs  map[string]error // by the beginning of the questions that it leaves open
	stuck int              // pages of logs that promise more and never end
}

// readAll asks all questions: those that the store's own lists lead to, and those in
// want.
func readAll(ctx context.Context, s store.Store, want answers) (*reading, error) {
	r := &reading{answers: answers{}, errs: map[string]error{}}
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		return r, err
	}
	agents, err := svc.Agents(ctx, workspace.AgentsQuery{Patterns: []string{"*"}})
	r.note("agent ", err)
	for _, a := range agents.Agents {
		r.answers["agent "+a.Agent] = fmt.Sprintf("%+v", a.Usage)
	}
	for _, agent := range planAgents {
		ws, err := svc.Agent(agent)
		if err != nil {
			return r, err
		}
		u, err := ws.Usage(ctx)
		r.note("usage "+agent, err)
		if u.Usage != (store.Usage{Operations: u.Operations}) {
			r.usage(agent, u.Usage)
		}
		r.readFiles(ctx, ws, want)
		r.readLogs(ctx, ws, want)
		r.readChanges(ctx, s, agent)
	}
	return r, nil
}

func (r *reading) readChanges(ctx context.Context, s store.Store, agent string) {
	const page = 9
	after := int64(0)
	for n := page; n == page; {
		err := s.View(ctx, store.Owner{Tenant: "local", Agent: agent}, func(v store.Reader) error {
			rows, err := v.Changes(after, page)
			n = len(rows)
			for _, c := range rows {
				after = c.Revision
				r.change(agent, c)
			}
			return err
		})
		if err != nil {
			r.note("change "+agent+" ", err)
			return
		}
	}
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

// verdict compares the answers with those wanted.
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

// hasKind reports whether an error wraps one of the kinds of package workspace.
func hasKind(err error) bool {
	return slices.ContainsFunc([]error{
		store.ErrNotFound, store.ErrInvalid, store.ErrTooLarge, store.ErrQuota, store.ErrConflict,
		store.ErrCorrupt, store.ErrBusy, store.ErrStorageFull, store.ErrOutcomeUnknown, store.ErrReadOnly,
		store.ErrUnsupported, store.ErrClosed,
	}, func(kind error) bool { return errors.Is(err, kind) })
}

package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// --- what must be there, by what they printed

// killItem is a file or a log. What one writer alone changes is known exactly:
// after a kill its state is that of the last answer, or the next one. Of what
// is shared, every version and entry has one op, and what was answered stays.
type killItem struct {
	killState
	agent, path string
	process     int // whose own it is; -1: shared
	isLog       bool

	// Own:
	pending *killLine

	// Shared:
	ops     map[string]*killLine // by the op's hash (the first one of an append)
	numbers map[int64]string     // hash that stands under a version or entry
	acked   int64                // the highest number that was acknowledged
	unknown int64                // numbers that ops not answered and not seen may have taken
}

type killState struct {
	number int64    // the highest version or entry
	hashes []string // of the retained versions or entries, the last one's under number
	gone   bool     // it is a file that was deleted, and its versions are kept
}

func (s killState) equal(o killState) bool {
	return s.number == o.number && s.gone == o.gone && slices.Equal(s.hashes, o.hashes)
}

func (s killState) String() string {
	last := "nothing"
	if n := len(s.hashes); n > 0 {
		last = s.hashes[n-1][:8]
	}
	return fmt.Sprintf("number %d, %d kept, the last %s, deleted: %v", s.number, len(s.hashes), last, s.gone)
}

// after returns the state after an op.
func (s killState) after(l *killLine, isLog bool) killState {
	added := l.Hash
	switch {
	case l.Do == "restore":
		added = s.hashes[len(s.hashes)-1:]
	case l.Do == "delete":
		return killState{s.number, s.hashes, s.number > 0}
	case len(l.Hash) == 0:
		return killState{number: s.number}
	}
	hashes := append(s.hashes[:len(s.hashes):len(s.hashes)], added...)
	if !isLog && len(hashes) > killVersions {
		hashes = hashes[len(hashes)-killVersions:]
	}
	return killState{number: s.number + int64(len(added)), hashes: hashes}
}

type killModel struct {
	mu      sync.Mutex // guards the following
	changed *sync.Cond
	items   map[string]*killItem // by agent/path
	open    map[string]*killLine // by op: no answer yet
	lines   [killProcesses]int   // printed by each process
	marks   [killProcesses]string
	ended   [killProcesses]bool
	acks    int
	problem string // the first one
}

func newKillModel() *killModel {
	m := &killModel{items: make(map[string]*killItem), open: make(map[string]*killLine)}
	m.changed = sync.NewCond(&m.mu)
	add := func(agent, path string, process int) {
		m.items[agent+"/"+path] = &killItem{agent: agent, path: path, process: process, isLog: strings.HasSuffix(path, ".log"),
			ops: make(map[string]*killLine), numbers: make(map[int64]string)}
	}
	for p := range killProcesses {
		for g := range killWriters {
			agent, file, log := killOwn(p, g)
			add(agent, file, p)
			add(agent, log, p)
		}
	}
	for _, agent := range killAgents {
		for _, path := range slices.Concat(killSharedFiles, killSharedLogs) {
			add(agent, path, -1)
		}
	}
	return m
}

func (m *killModel) fail(format string, args ...any) {
	if m.problem == "" {
		m.problem = fmt.Sprintf(format, args...)
	}
}

func (m *killModel) found() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.problem
}

// follow reads what a process prints, until it ends.
func (m *killModel) follow(process int, c *child) {
	for text := range c.lines {
		var l killLine
		err := json.Unmarshal([]byte(text), &l)
		m.mu.Lock()
		m.lines[process]++
		switch {
		case err != nil:
			m.fail("process %d printed %q", process, text)
		case l.Mark != "":
			m.marks[process] = l.Mark
		case l.Error != "":
			m.fail("op %s: %s, expected no error", l.Op, l.Error)
		case l.Do != "":
			m.begin(&l)
		default:
			m.answered(l)
		}
		m.changed.Broadcast()
		m.mu.Unlock()
	}
	m.mu.Lock()
	m.ended[process] = true
	m.changed.Broadcast()
	m.mu.Unlock()
}

func (m *killModel) begin(l *killLine) {
	m.open[l.Op] = l
	item := m.items[l.Agent+"/"+l.Path]
	if item.process >= 0 {
		item.pending = l
		return
	}
	item.unknown += int64(len(l.Hash))
	if len(l.Hash) > 0 {
		item.ops[l.Hash[0]] = l
	}
}

func (m *killModel) answered(a killLine) {
	l := m.open[a.Op]
	if l == nil {
		m.fail("op %s was answered and had not begun", a.Op)
		return
	}
	delete(m.open, a.Op)
	item := m.items[l.Agent+"/"+l.Path]
	l.Number, l.Refused = a.Number, a.Refused || a.Closed
	m.acks++
	if item.process >= 0 {
		item.pending = nil
		if a.Closed {
			return
		}
		next, held := item.after(l, item.isLog), int64(len(item.hashes))
		if item.gone {
			held = 0
		}
		switch {
		case a.Refused:
			m.fail("op %s on %s, which nobody else changes, was refused, expected %v", a.Op, item.path, next)
		case (len(l.Hash) > 0 || l.Do == "restore") && a.Number != next.number:
			m.fail("op %s on %s was answered with number %d, expected %d", a.Op, item.path, a.Number, next.number)
		case len(l.Hash) == 0 && l.Do != "restore" && a.Count != held:
			m.fail("op %s on %s removed %d, expected %d", a.Op, item.path, a.Count, held)
		}
		item.killState = next
		return
	}
	if l.at == 0 {
		item.unknown -= int64(len(l.Hash))
	}
	if l.Refused {
		return
	}
	if l.If != nil && *l.If > 0 && a.Number != *l.If+1 {
		m.fail("op %s wrote version %d of %s on condition that %d stood there", a.Op, a.Number, item.path, *l.If)
	}
	for i, hash := range l.Hash {
		m.give(item, a.Number-int64(len(l.Hash)-1-i), hash)
	}
	if len(l.Hash) > 0 {
		item.acked = max(item.acked, a.Number)
	}
}

// give records that a number of a shared item belongs to a hash for ever.
func (m *killModel) give(item *killItem, n int64, hash string) {
	if had, ok := item.numbers[n]; ok && had != hash {
		m.fail("number %d of %s was given to %.8s and to %.8s, expected never twice", n, item.path, had, hash)
	}
	item.numbers[n] = hash
}

// await waits until enough is true, or the process has ended.
func (m *killModel) await(process int, enough func() bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for !enough() && !m.ended[process] && m.problem == "" {
		m.changed.Wait()
	}
}

// --- what is there

// killLook is what one snapshot of an agent shows.
type killLook struct {
	agent  string
	states map[string]killState
	from   map[string]int64 // of a log: entries up to this were seen before and not read again
	bytes  map[string]int64 // of a shared log, up to its end
}

// killSeen remembers how far each shared log was read, and its bytes up to there.
type killSeen map[string]struct{ last, bytes int64 }

// look reads everything of an agent and recomputes its usage.
func (m *killModel) look(db store.Store, agent string, seen killSeen) (k killLook, err error) {
	err = db.View(context.Background(), store.Owner{Tenant: "local", Agent: agent}, func(tx store.Reader) error {
		k = killLook{agent, make(map[string]killState), make(map[string]int64), make(map[string]int64)}
		var sum store.Usage
		for _, item := range m.items { // the map itself never changes
			if item.agent != agent {
				continue
			}
			read := k.file
			if item.isLog {
				read = k.log
			}
			if err := read(tx, item, seen, &sum); err != nil {
				return fmt.Errorf("%s: %w", item.path, err)
			}
		}
		state, err := tx.Owner()
		sum.Operations = state.Operations
		if err == nil && state.Usage != sum {
			err = fmt.Errorf("the usage of %s is %+v, expected %+v by adding up what is there", agent, state.Usage, sum)
		}
		return err
	})
	return k, err
}

func (k *killLook) file(tx store.Reader, item *killItem, _ killSeen, sum *store.Usage) error {
	l, err := tx.Load(store.Query{File: item.path, History: true})
	head := l.File
	if err != nil || len(l.Versions) != len(head.Sizes) {
		return fmt.Errorf("%d versions, expected %d: %v", len(l.Versions), len(head.Sizes), err)
	}
	s := killState{number: head.Version, gone: head.Deleted}
	if head.Deleted {
		sum.DeletedBytes += head.Kept()
	}
	for _, n := range head.Numbers() {
		l, err := tx.Load(store.Query{File: item.path, Version: n})
		if err != nil {
			return err
		}
		v := l.Version
		s.hashes = append(s.hashes, hashOf(v.Content))
		sum.Bytes += int64(len(v.Content))
	}
	if head.Exists() {
		sum.Files++
	}
	k.states[item.path] = s
	return nil
}

func (k *killLook) log(tx store.Reader, item *killItem, seen killSeen, sum *store.Usage) error {
	before := seen[item.agent+"/"+item.path]
	l, err := tx.Load(store.Query{Log: item.path, Entries: &store.EntryQuery{After: before.last}})
	if err != nil {
		return err
	}
	head, entries := l.Log, l.Entries
	s := killState{number: head.Last}
	bytes := before.bytes
	for i, e := range entries {
		if want := head.Last - int64(len(entries)-1-i); e.ID != want {
			return fmt.Errorf("entry %d stands where %d was expected", e.ID, want)
		}
		s.hashes = append(s.hashes, hashOf(e.Content))
		bytes += int64(len(e.Content))
	}
	if head.Exists() {
		sum.Logs++
	}
	sum.Entries += before.last + int64(len(entries)) // a shared log is never deleted
	sum.Bytes += bytes
	k.states[item.path], k.from[item.path], k.bytes[item.path] = s, before.last, bytes
	return nil
}

// check compares a look with what must be there. acked are the highest numbers that
// were acknowledged before the look. Everything that a dead process has printed is in
// the model.
func (m *killModel) check(k killLook, acked map[string]int64, dead [killProcesses]bool) {
	for path, have := range k.states {
		item := m.items[k.agent+"/"+path]
		switch {
		case item.process < 0:
			m.checkShared(item, have, k.from[path], acked[k.agent+"/"+path], dead == [killProcesses]bool{true, true, true, true})
		case dead[item.process]:
			m.checkOwn(item, have)
		}
	}
}

func (m *killModel) checkOwn(item *killItem, have killState) {
	want := item.killState
	if have.equal(want) {
		item.pending = nil
		return
	}
	if item.pending == nil {
		m.fail("%s is %v, expected %v", item.path, have, want)
		return
	}
	next := want.after(item.pending, item.isLog)
	if !have.equal(next) {
		m.fail("%s is %v, expected %v, or %v after the op under way", item.path, have, want, next)
	}
	item.killState, item.pending = next, nil
}

func (m *killModel) checkShared(item *killItem, have killState, from, acked int64, allDead bool) {
	if have.number < acked {
		m.fail("%s is %v, expected number %d, which was acknowledged", item.path, have, acked)
	}
	first := have.number - int64(len(have.hashes)) + 1
	whole := len(have.hashes) == killVersions || first == 1
	switch {
	case item.isLog && first != from+1:
		m.fail("%s is %v and begins after %d, expected after %d", item.path, have, first-1, from)
	case !item.isLog && item.path != killSharedFiles[len(killSharedFiles)-1] && !whole:
		m.fail("%s is %v, expected %d kept", item.path, have, killVersions)
	}
	for i := 0; i < len(have.hashes); {
		op, ok := item.ops[have.hashes[i]]
		n := first + int64(i)
		switch {
		case !ok:
			m.fail("number %d of %s is what nobody wrote, or not in one piece", n, item.path)
			return
		case op.Refused:
			m.fail("number %d of %s is op %s, which was refused", n, item.path, op.Op)
		case len(have.hashes)-i < len(op.Hash) || !slices.Equal(have.hashes[i:i+len(op.Hash)], op.Hash):
			m.fail("number %d of %s begins op %s, which is not there whole", n, item.path, op.Op)
			return
		}
		if op.at == 0 {
			op.at = n
			if m.open[op.Op] != nil {
				item.unknown -= int64(len(op.Hash))
			}
		}
		if op.at != n {
			m.fail("op %s on %s stands at %d and at %d, expected once", op.Op, item.path, op.at, n)
		}
		for j, hash := range op.Hash {
			m.give(item, n+int64(j), hash)
		}
		i += len(op.Hash)
	}
	if gaps := have.number - int64(len(item.numbers)); allDead && gaps > item.unknown {
		m.fail("%s is %v, %d of these numbers belong to no op, expected %d at most", item.path, have, gaps, item.unknown)
	}
}

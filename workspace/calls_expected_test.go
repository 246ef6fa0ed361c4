package workspace_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A call is one write, for a workspace or for the model.
type call struct {
	op           string // write, edit, append, restore, delete, delete for good, delete log, trim
	path         string
	content, old string
	all          bool
	ifVersion    *int64
	through      int64 // of a trim; the version of a restore
	keep         time.Duration
	entries      []string
	key          string
	author       workspace.Author
}

// request returns what makes two calls the same: everything except the key and the
// author.
func (c call) request() string {
	version := "any"
	if c.ifVersion != nil {
		version = fmt.Sprint(*c.ifVersion)
	}
	return fmt.Sprintf("%s %q %q %q %t %s %d %q", c.op, c.path, c.content, c.old, c.all, version, c.through, c.entries)
}

// An answer is the result of any write.
type answer struct {
	Path                       string
	Number, First, Bytes, Some int64 // Some: replacements, or what a deletion removed
	Deleted                    bool
	Kept, Until                int64 // versions of a deleted file, and until when in microseconds
}

// An agent is the model: everything that one agent has, in maps and slices. It keeps no
// counts; usage adds them up.
type agent struct {
	files, logs         map[string]item
	requests            map[string]kept
	fileFloor, logFloor int64
	operations, pending int64     // pending: reads that no write has counted yet
	revision            int64     // of the last change
	written             time.Time // of the last write; it never goes back
	rows                []workspace.Change
}

// record adds a row to the journal. From a hundred rows over the limit on, the oldest
// hundred go.
func (a *agent) record(c call, row workspace.Change, now time.Time, l workspace.Limits) {
	a.revision++
	a.written = later(now, a.written)
	row.Revision, row.Path, row.Author, row.Time = a.revision, c.path, c.author, now
	a.rows = append(slices.Clip(a.rows), row)
	if int64(len(a.rows)) >= l.Changes+100 {
		a.rows = a.rows[100:]
	}
}

// An item is a file with its retained versions, or a log with its entries.
type item struct {
	last             int64 // the highest number ever given
	parts            []part
	emptied          bool // a log without entries that still exists
	created, updated time.Time

	deleted bool // and the parts can be restored until expires
	deleter workspace.Author
	expires time.Time
}

func (i item) live() bool   { return (len(i.parts) > 0 || i.emptied) && !i.deleted }
func (i item) newest() part { return i.parts[len(i.parts)-1] }
func (i item) bytes() (n int64) {
	for _, p := range i.parts {
		n += int64(len(p.content))
	}
	return n
}

type part struct {
	number  int64
	content string
	author  workspace.Author
	time    time.Time
	created time.Time // of the file that it belongs to
}

func (i item) restorable(now time.Time) bool {
	return i.deleted && len(i.parts) > 0 && now.Before(i.expires)
}

// find returns the index of a version, -1 if it is not kept.
func (i item) find(n int64) int {
	return slices.IndexFunc(i.parts, func(p part) bool { return p.number == n })
}

// drop removes what is kept of the deleted files that expire first, while more returns true.
func (a *agent) drop(not string, more func(item) bool) {
	deleted := slices.DeleteFunc(slices.Collect(maps.Keys(a.files)), func(p string) bool {
		return p == not || !a.files[p].deleted
	})
	slices.SortFunc(deleted, func(x, y string) int {
		return cmp.Or(a.files[x].expires.Compare(a.files[y].expires), strings.Compare(x, y))
	})
	for _, path := range deleted {
		f := a.files[path]
		if !more(f) {
			return
		}
		f.parts, f.deleted = nil, false
		a.files[path] = f
	}
}

type kept struct {
	request string
	answer  answer
	time    time.Time
}

func newAgent() *agent {
	return &agent{files: map[string]item{}, logs: map[string]item{}, requests: map[string]kept{}}
}

// clone shares the slices of parts, which never change in place.
func (a *agent) clone() *agent {
	b := *a
	b.files, b.logs, b.requests = maps.Clone(a.files), maps.Clone(a.logs), maps.Clone(a.requests)
	return &b
}

func (a *agent) usage() workspace.Usage {
	u := workspace.Usage{Operations: a.operations}
	for _, f := range a.files {
		if f.live() {
			u.Files++
		}
		if f.deleted {
			u.DeletedBytes += f.bytes()
		}
		u.Bytes += f.bytes()
	}
	for _, l := range a.logs {
		if l.live() {
			u.Logs++
			u.Entries += int64(len(l.parts))
			u.Bytes += l.bytes()
		}
	}
	return u
}

// charge returns what the agent's rows count against the limit in addition to its bytes.
func (a *agent) charge() int64 {
	n := 200 * int64(len(a.requests))
	for _, f := range a.files {
		if n += 250 * int64(len(f.parts)); f.live() {
			n += 100
		}
	}
	for _, l := range a.logs {
		if l.live() {
			n += 100 + 200*int64(len(l.parts))
		}
	}
	return n
}

// blank reports whether the agent holds nothing: it never wrote, or was deleted.
func (a *agent) blank() bool { return a.usage() == workspace.Usage{} }

// apply makes a call on the model and returns the answer, or the kind of error.
func (a *agent) apply(c call, now time.Time, l workspace.Limits) (answer, error) {
	if err := c.check(l); err != nil {
		return answer{}, err
	}
	if k, ok := a.requests[c.key]; ok && now.Sub(k.time) < 24*time.Hour && k.time.Sub(now) <= 5*time.Minute {
		if k.request != c.request() {
			return answer{}, workspace.ErrConflict
		}
		return k.answer, nil
	}
	b := a.clone()
	ans, err := b.change(c, now, l)
	if err != nil {
		return answer{}, err
	}
	if a.blank() && b.blank() && c.key == "" {
		a.pending = 0 // it deleted nothing: an agent that holds nothing stays so
		return ans, nil
	}
	with := b.clone()
	if with.keep(c, ans, now); (strings.HasPrefix(c.op, "delete") || c.op == "trim") && over(a, with, l) {
		c.key = "" // a deletion is never refused: where there is no room for its key, it has none
	}
	b.keep(c, ans, now)
	b.written = later(now, b.written)
	b.operations, b.pending = b.operations+b.pending+1, 0
	if c.change() {
		most := max(l.Bytes, a.usage().Bytes+a.charge())
		own := c.path
		if c.op == "append" { // to a log
			own = ""
		}
		b.drop(own, func(item) bool { return b.usage().Bytes+b.charge() > most })
	}
	if over(a, b, l) {
		return answer{}, workspace.ErrQuota
	}
	n := 0
	b.drop("", func(f item) bool { n++; return n <= 10 && !now.Before(f.expires) })
	*a = *b
	return ans, nil
}

// change reports whether a call may drop what is kept of deleted files to have room.
func (c call) change() bool { return !strings.HasPrefix(c.op, "delete") && c.op != "trim" }

// check finds what is wrong for every agent.
func (c call) check(l workspace.Limits) error {
	if !validPath(c.path) {
		return workspace.ErrInvalid
	}
	least := int64(0)
	if c.op == "edit" {
		if c.old != "" {
			least = 1
		}
		if c.old == c.content || c.old == "" && c.all {
			return workspace.ErrInvalid
		}
	}
	if c.ifVersion != nil && *c.ifVersion < least || c.op == "trim" && c.through < 1 || c.op == "restore" && c.through < 0 || c.op == "append" && len(c.entries) == 0 {
		return workspace.ErrInvalid
	}
	limit, texts := l.FileBytes, []string{c.content}
	if c.op == "append" {
		limit, texts = l.EntryBytes, c.entries
	}
	for _, text := range texts {
		if int64(len(text)) > limit {
			return workspace.ErrTooLarge
		}
		if !utf8.ValidString(text) {
			return workspace.ErrInvalid
		}
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.RuneCountInString(c.key) > 128 || strings.ContainsFunc(c.key, unprintable) {
		return workspace.ErrInvalid
	}
	return nil
}

// over reports whether a change takes the usage further over a limit.
func over(a, b *agent, l workspace.Limits) bool {
	before, after := a.usage(), b.usage()
	before.Bytes += a.charge()
	after.Bytes += b.charge()
	more := func(before, after, limit int64) bool { return after > limit && after > before }
	return more(before.Files, after.Files, l.Files) || more(before.Logs, after.Logs, l.Logs) ||
		more(before.Entries, after.Entries, l.Entries) || more(before.Bytes, after.Bytes, l.Bytes)
}

func (a *agent) change(c call, now time.Time, l workspace.Limits) (answer, error) {
	f, log := a.files[c.path], a.logs[c.path]
	if c.op != "edit" && c.op != "trim" && !f.matches(c.ifVersion) {
		return answer{}, workspace.ErrConflict
	}
	switch c.op {
	case "write":
		return a.write(c, c.content, now, l), nil
	case "edit":
		text, n, err := f.edited(c, l)
		if err != nil {
			return answer{}, err
		}
		ans := a.write(c, text, now, l)
		ans.Some = n
		return ans, nil
	case "append":
		return a.append(c, now, l), nil
	case "restore":
		return a.restore(c, now, l)
	case "delete", "delete for good":
		return a.delete(c, now, l), nil
	case "delete log":
		a.logs[c.path] = log.cleared(now)
		if log.last == 0 {
			delete(a.logs, c.path)
		}
		if log.live() {
			a.record(c, workspace.Change{Op: workspace.OpDelete, Kind: workspace.KindLog, Before: log.last}, a.logs[c.path].updated, l)
		}
		return answer{Path: c.path, Some: int64(len(log.parts)), Deleted: log.live()}, nil
	case "trim":
		return a.trim(c, now, l)
	}
	panic("no such operation: " + c.op)
}

// delete keeps the versions for a while, unless that is 0 or for good.
func (a *agent) delete(c call, now time.Time, l workspace.Limits) answer {
	f := a.files[c.path]
	gone := f.cleared(now)
	ans := answer{Path: c.path, Some: int64(len(f.parts)), Deleted: f.live() || f.restorable(now)}
	switch {
	case f.last == 0:
		return ans
	case !f.live() && c.op == "delete":
		return answer{Path: c.path}
	case !f.live() && !ans.Deleted:
		ans.Some = 0
	case c.op == "delete" && c.keep > 0:
		gone.parts, gone.deleted, gone.deleter, gone.expires = f.parts, true, c.author, gone.updated.Add(c.keep)
		gone.deleter.Session = ""
		ans.Some, ans.Kept, ans.Until = 0, int64(len(f.parts)), gone.expires.UnixMicro()
	}
	a.files[c.path] = gone
	if f.live() {
		a.record(c, workspace.Change{Op: workspace.OpDelete, Kind: workspace.KindFile, Before: f.last}, gone.updated, l)
	}
	return ans
}

// restore makes a version the next one.
func (a *agent) restore(c call, now time.Time, l workspace.Limits) (answer, error) {
	f := a.files[c.path]
	switch {
	case !f.live() && !f.restorable(now):
		return answer{}, workspace.ErrNotFound
	case f.live() && c.through == 0:
		return answer{}, workspace.ErrConflict
	case c.through == 0:
		c.through = f.newest().number
	}
	i := f.find(c.through)
	if i < 0 {
		return answer{}, workspace.ErrNotFound
	}
	return a.store(c, f.parts[i].content, f.parts[i].created, now, l), nil
}

// matches reports whether a file meets a condition.
func (i item) matches(ifVersion *int64) bool {
	switch {
	case ifVersion == nil:
		return true
	case *ifVersion == 0:
		return !i.live()
	}
	return i.live() && i.last == *ifVersion
}

func (i item) edited(c call, l workspace.Limits) (string, int64, error) {
	if !i.live() && c.old != "" {
		return "", 0, workspace.ErrNotFound
	}
	if !i.matches(c.ifVersion) {
		return "", 0, workspace.ErrConflict
	}
	if c.old == "" {
		return i.appended(c.content, l)
	}
	pieces := strings.Split(i.newest().content, c.old)
	if n := len(pieces) - 1; n == 0 || n > 1 && !c.all {
		return "", 0, workspace.ErrConflict
	}
	text := strings.Join(pieces, c.content)
	if int64(len(text)) > l.FileBytes {
		return "", 0, workspace.ErrTooLarge
	}
	return text, int64(len(pieces) - 1), nil
}

func (i item) appended(text string, l workspace.Limits) (string, int64, error) {
	if i.live() {
		before := i.newest().content
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		text = before + text
	}
	if int64(len(text)) > l.FileBytes {
		return "", 0, workspace.ErrTooLarge
	}
	return text, 0, nil
}

func (i item) cleared(now time.Time) item {
	if i.live() {
		i.updated = later(now, i.updated)
	}
	i.parts, i.emptied, i.deleted = nil, false, false
	return i
}

// add gives the item one more part. The journal alone has the author's session.
func (i item) add(content string, author workspace.Author, now time.Time) item {
	author.Session = ""
	now = later(now, i.updated)
	if !i.live() {
		i.created = now
	}
	i.updated = now
	i.last++
	i.emptied, i.deleted = false, false
	i.parts = append(slices.Clip(i.parts), part{i.last, content, author, now, i.created})
	return i
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (a *agent) write(c call, content string, now time.Time, l workspace.Limits) answer {
	return a.store(c, content, time.Time{}, now, l)
}

// store makes the next version of a file. If there is no file, it is one that was created at a
// time; zero: it is new.
func (a *agent) store(c call, content string, created time.Time, now time.Time, l workspace.Limits) answer {
	f, known := a.files[c.path]
	if f.deleted && !f.restorable(now) {
		f.parts = nil
	}
	row := workspace.Change{Op: workspace.OpCreate, Kind: workspace.KindFile}
	if f.live() {
		row.Op, row.Before = workspace.OpEdit, f.last
	}
	if !known {
		f.last = a.fileFloor
	}
	if created.IsZero() && !f.live() && !later(now, f.updated).After(a.written) { // no two files have one time of creation
		now = a.written.Add(time.Microsecond)
	}
	back := !f.live() && !created.IsZero()
	f = f.add(content, c.author, now)
	if back {
		f.created = created
		f.parts[len(f.parts)-1].created = created
	}
	if c.op == "restore" {
		row.Op = workspace.OpRestore
	}
	row.After = f.last
	a.record(c, row, f.updated, l)
	f.parts = f.parts[max(0, len(f.parts)-int(l.Versions)):]
	a.files[c.path] = f
	return answer{Path: c.path, Number: f.last, Bytes: int64(len(content))}
}

func (a *agent) append(c call, now time.Time, l workspace.Limits) answer {
	log, known := a.logs[c.path]
	row := workspace.Change{Op: workspace.OpAppend, Kind: workspace.KindLog, Entries: int64(len(c.entries))}
	if log.live() {
		row.Before = log.last
	}
	if !known {
		log.last = a.logFloor
	}
	ans := answer{Path: c.path, First: log.last + 1}
	for _, e := range c.entries {
		log = log.add(e, c.author, now)
		ans.Bytes += int64(len(e))
	}
	a.logs[c.path] = log
	ans.Number, row.After = log.last, log.last
	a.record(c, row, log.updated, l)
	return ans
}

func (a *agent) trim(c call, now time.Time, l workspace.Limits) (answer, error) {
	log := a.logs[c.path]
	ans := answer{Path: c.path}
	if !log.live() {
		return ans, nil
	}
	if c.through > log.last {
		return answer{}, workspace.ErrInvalid
	}
	left := slices.DeleteFunc(slices.Clone(log.parts), func(p part) bool { return p.number <= c.through })
	if ans.Some = int64(len(log.parts) - len(left)); ans.Some > 0 {
		ans.Deleted = true
		log.parts, log.emptied, log.updated = left, len(left) == 0, later(now, log.updated)
		a.logs[c.path] = log
		a.record(c, workspace.Change{Op: workspace.OpTrim, Kind: workspace.KindLog, Before: log.last, After: log.last}, log.updated, l)
	}
	return ans, nil
}

// keep remembers a request. It takes the place of one that is over 24 hours old under its key, or
// forgets up to ten of them.
func (a *agent) keep(c call, ans answer, now time.Time) {
	if _, there := a.requests[c.key]; there {
		a.requests[c.key] = kept{c.request(), ans, now}
		return
	}
	old := slices.SortedFunc(maps.Keys(a.requests), func(x, y string) int {
		if d := a.requests[x].time.Compare(a.requests[y].time); d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	dropped := 0
	for _, key := range old {
		if at := a.requests[key].time; dropped < 10 && (now.Sub(at) > 24*time.Hour || at.Sub(now) > 5*time.Minute) {
			delete(a.requests, key)
			dropped++
		}
	}
	if c.key != "" {
		a.requests[c.key] = kept{c.request(), ans, now}
	}
}

// erase does what DeleteAgent does: only the highest numbers stay.
func (a *agent) erase(now time.Time) {
	b := newAgent()
	b.written = a.written
	if len(a.files)+len(a.logs)+len(a.requests)+len(a.rows) > 0 || !a.blank() {
		b.written = later(now, a.written)
	}
	b.fileFloor, b.logFloor = a.fileFloor, a.logFloor
	b.revision = a.revision + int64(len(live(a.files, ""))+len(live(a.logs, ""))) // each was deleted by a change
	for _, f := range a.files {
		b.fileFloor = max(b.fileFloor, f.last)
	}
	for _, l := range a.logs {
		b.logFloor = max(b.logFloor, l.last)
	}
	if b.fileFloor == 0 && b.logFloor == 0 && b.revision == 0 {
		b.written = time.Time{} // nothing is left
	}
	*a = *b
}

// sweep forgets when an agent that was deleted has written, if that was long ago, or in the
// future of a clock that was set back.
func (a *agent) sweep(now time.Time) {
	if len(a.files)+len(a.logs)+len(a.requests)+len(a.rows) == 0 && a.blank() &&
		(a.written.Before(now.Add(-30*24*time.Hour)) || a.written.After(now.Add(5*time.Minute))) {
		a.written = time.Time{}
	}
}

// flush does what happens when the counts of reads are written on their own.
func (a *agent) flush() {
	if a.usage() != (workspace.Usage{}) {
		a.operations += a.pending
	}
	a.pending = 0
}

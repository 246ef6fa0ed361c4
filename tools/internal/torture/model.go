package torture

import (
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The paths of the files and of the logs. A careless comparison takes some of them for
// others. There is room for one file less than there are paths.
var (
	filePaths = [...]string{"a", "a/b", "a.b", "A"}
	logPaths  = [...]string{"a", "a/b"}
)

// limits are those of the agents. The journal of changes is never cut in a round.
var limits = workspace.Limits{Versions: 4, Files: int64(len(filePaths)) - 1}

// keepDeleted is for how long a deleted file can be restored: longer than any round.
const keepDeleted = 24 * time.Hour

// A file is what the model knows of a path.
type file struct {
	version int64              // the highest that the path ever had
	numbers []int64            // of the retained versions, the oldest first
	texts   []string           // of the same versions
	deleted bool               // and the versions are retained
	life    int64              // the revision that created the file; it stays when the file moves
	changed int64              // the revision of its last change
	op      workspace.ChangeOp // the last change
}

func (f file) exists() bool { return len(f.texts) > 0 && !f.deleted }

// current returns the version that a condition is compared with.
func (f file) current() int64 {
	if !f.exists() {
		return 0
	}
	return f.version
}

func (f file) text() string { return f.texts[len(f.texts)-1] }

// with returns the file with one more version, at most limits.Versions of them.
func (f file) with(version int64, text string) file {
	texts, numbers := append(slices.Clone(f.texts), text), append(slices.Clone(f.numbers), version)
	if over := len(texts) - int(limits.Versions); over > 0 {
		texts, numbers = texts[over:], numbers[over:]
	}
	f.version, f.texts, f.numbers, f.deleted = version, texts, numbers, false
	return f
}

// A list is what the model knows of a log. Its entries have the numbers up to last.
type list struct {
	last    int64
	entries []string
	exists  bool
	life    int64
	changed int64
	op      workspace.ChangeOp
}

// A state is what an agent has after a revision.
type state struct {
	revision int64
	files    [len(filePaths)]file
	logs     [len(logPaths)]list
}

func (s *state) file(path string) *file { return &s.files[slices.Index(filePaths[:], path)] }
func (s *state) log(path string) *list  { return &s.logs[slices.Index(logPaths[:], path)] }

func (s *state) count() (n int64) {
	for _, f := range s.files {
		if f.exists() {
			n++
		}
	}
	return n
}

var (
	isNotFound = answer{Failed: failedNotFound}
	isConflict = answer{Failed: failedConflict}
	isQuota    = answer{Failed: failedQuota}
)

// after returns the state after a call that writes, its answer and its row in the journal.
// The row is zero if the call changes nothing.
func (s state) after(c call) (state, workspace.Change, answer) {
	was := s
	s.revision++
	row := workspace.Change{Revision: s.revision, Kind: workspace.KindFile, Path: c.Path}
	var a answer
	switch c.Do {
	case doWrite, doEdit:
		a = s.store(c, &row)
	case doRestore:
		a = s.restore(c, &row)
	case doMove:
		a = s.move(c, &row)
	case doDelete:
		a = s.delete(c, &row)
	default:
		row.Kind = workspace.KindLog
		a = s.changeLog(c, &row)
	}
	if a.Failed != "" || row.Op == "" {
		return was, workspace.Change{}, a
	}
	return s, row, a
}

// store is a write or an edit.
func (s *state) store(c call, row *workspace.Change) answer {
	f := s.file(c.Path)
	text, count := c.Text, int64(0)
	if c.Do == doEdit && c.Old != "" && !f.exists() {
		return isNotFound
	}
	if c.If != nil && *c.If != f.current() {
		return isConflict
	}
	switch {
	case c.Do == doEdit && c.Old != "":
		if strings.Count(f.text(), c.Old) != 1 {
			return isConflict
		}
		text, count = strings.Replace(f.text(), c.Old, c.Text, 1), 1
	case c.Do == doEdit && f.exists():
		text = f.text()
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += c.Text
	}
	row.Op = workspace.OpEdit
	if !f.exists() {
		row.Op = workspace.OpCreate
	}
	return s.add(f, text, count, row)
}

// add gives a file one more version.
func (s *state) add(f *file, text string, count int64, row *workspace.Change) answer {
	row.Before = f.version
	if !f.exists() {
		if s.count() >= limits.Files {
			return isQuota
		}
		row.Before, f.life = 0, s.revision
	}
	*f = f.with(f.version+1, text)
	f.changed, f.op, row.After = s.revision, row.Op, f.version
	return answer{Number: f.version, Count: count}
}

func (s *state) restore(c call, row *workspace.Change) answer {
	f := s.file(c.Path)
	n := c.Version
	switch {
	case len(f.texts) == 0:
		return isNotFound
	case n == 0 && f.exists():
		return isConflict
	case n == 0:
		n = f.numbers[len(f.numbers)-1]
	}
	i := slices.Index(f.numbers, n)
	if i < 0 {
		return isNotFound
	}
	row.Op = workspace.OpRestore
	return s.add(f, f.texts[i], 0, row)
}

func (s *state) move(c call, row *workspace.Change) answer {
	from, to := s.file(c.Path), s.file(c.To)
	switch {
	case !from.exists():
		return isNotFound
	case c.If != nil && *c.If != from.version, to.exists():
		return isConflict
	}
	row.Op, row.Path, row.From, row.Before = workspace.OpMove, c.To, c.Path, from.version
	moved, above := *to, to.version
	left := file{version: from.version, deleted: true}
	for i, n := range from.numbers {
		if n <= above { // this number stood for another text at the new path
			left.numbers, left.texts = append(left.numbers, n), append(left.texts, from.texts[i])
		} else {
			moved = moved.with(n, from.texts[i])
		}
	}
	moved.life = from.life
	*to = moved.with(max(from.version, above)+1, from.text())
	to.changed, to.op, row.After = s.revision, workspace.OpEdit, to.version // moved back, it is an edit
	*from = left
	return answer{Number: to.version}
}

func (s *state) delete(c call, row *workspace.Change) answer {
	f := s.file(c.Path)
	if c.If != nil && *c.If != f.current() {
		return isConflict
	}
	if !f.exists() {
		return answer{}
	}
	row.Op, row.Before = workspace.OpDelete, f.version
	*f = file{version: f.version, numbers: f.numbers, texts: f.texts, deleted: true}
	return answer{Count: int64(len(f.texts))}
}

func (s *state) changeLog(c call, row *workspace.Change) answer {
	l := s.log(c.Path)
	row.Before = l.last
	switch c.Do {
	case doAppend:
		row.Op, row.Entries = workspace.OpAppend, int64(c.Entries)
		if !l.exists {
			row.Before, l.life, l.exists = 0, s.revision, true
		}
		l.entries = slices.Clone(l.entries)
		for i := range c.Entries {
			l.entries = append(l.entries, c.entry(i))
		}
		l.last += int64(c.Entries)
		l.changed, l.op, row.After = s.revision, row.Op, l.last
		return answer{Number: l.last}
	case doTrim:
		n := c.Since - (l.last - int64(len(l.entries)))
		if !l.exists || n <= 0 {
			return answer{}
		}
		row.Op, row.After = workspace.OpTrim, l.last
		l.entries, l.changed, l.op = l.entries[n:], s.revision, row.Op
		return answer{Count: n}
	default:
		if !l.exists {
			return answer{}
		}
		row.Op = workspace.OpDelete
		a := answer{Count: int64(len(l.entries))}
		*l = list{last: l.last}
		return a
	}
}

// --- reads

// answer returns what a call that changes nothing is answered at a revision. states has all
// states up to it.
func answerAt(states []state, c call) answer {
	s := states[len(states)-1]
	var lines []string
	switch c.Do {
	case doRead:
		f := s.file(c.Path)
		if !f.exists() {
			return isNotFound
		}
		return answer{Number: f.version, Text: f.text()}
	case doReadLog:
		l := s.log(c.Path)
		if !l.exists {
			return answer{}
		}
		return l.read(c.Entries)
	case doChanges:
		if c.Since > s.revision {
			return answer{Failed: failedWrong}
		}
		return answer{Number: s.revision, Text: joined(changedSince(states[c.Since], s))}
	case doList:
		for i, f := range s.files {
			if f.exists() {
				lines = append(lines, fileLine(filePaths[i], f.version, int64(len(f.text())), int64(len(f.texts))))
			}
		}
		slices.SortFunc(lines, byPath)
		return answer{Text: joined(lines)}
	case doListLogs:
		for i, l := range s.logs {
			if l.exists {
				lines = append(lines, fileLine(logPaths[i], l.last, size(l.entries), int64(len(l.entries))))
			}
		}
		slices.SortFunc(lines, byPath)
		return answer{Text: joined(lines)}
	}
	_, row, a := s.after(c)
	if row.Op != "" {
		return answer{Failed: failedWrong}
	}
	return a
}

// read returns the last entries, or the first page if tail is 0.
func (l *list) read(tail int) answer {
	first, last := 0, len(l.entries)
	if tail > 0 {
		first = max(0, last-tail)
	}
	last = min(last, first+logPage)
	gone := l.last - int64(len(l.entries))
	var lines []string
	for i := first; i < last; i++ {
		lines = append(lines, logLine(gone+int64(i)+1, l.entries[i]))
	}
	if tail == 0 && len(lines) == 0 {
		return answer{}
	}
	return answer{Number: gone + int64(last), Text: joined(lines)}
}

// byPath compares lines of a list by their paths.
func byPath(a, b string) int {
	pathA, _, _ := strings.Cut(a, " ")
	pathB, _, _ := strings.Cut(b, " ")
	return strings.Compare(pathA, pathB)
}

func size(texts []string) (n int64) {
	for _, t := range texts {
		n += int64(len(t))
	}
	return n
}

// A life is a file or a log at one time: where it was, and its number.
type life struct {
	path            string
	number, changed int64
	op              workspace.ChangeOp
}

// lives returns the files and the logs of a state by the revisions that created them.
func (s *state) lives() map[workspace.PathKind]map[int64]life {
	files, logs := map[int64]life{}, map[int64]life{}
	for i, f := range s.files {
		if f.exists() {
			files[f.life] = life{filePaths[i], f.version, f.changed, f.op}
		}
	}
	for i, l := range s.logs {
		if l.exists {
			logs[l.life] = life{logPaths[i], l.last, l.changed, l.op}
		}
	}
	return map[workspace.PathKind]map[int64]life{workspace.KindFile: files, workspace.KindLog: logs}
}

// changedSince returns what a reader who knows one state is told in another.
func changedSince(then, now state) (lines []string) {
	old, all := then.lives(), now.lives()
	for kind, present := range all {
		known := map[string]life{} // what is gone, by the path where the reader knows it
		for id, l := range old[kind] {
			if _, lives := present[id]; !lives {
				known[l.path] = l
			}
		}
		taken := map[string]bool{}
		for id, l := range present {
			taken[l.path] = true
			if l.changed <= then.revision {
				continue
			}
			row := workspace.Change{Op: l.op, Kind: kind, Path: l.path, After: l.number, Revision: l.changed}
			was, there := old[kind][id]
			before, replaced := known[l.path]
			switch {
			case there && was.path != l.path:
				row.Op, row.From, row.Before = workspace.OpMove, was.path, was.number
			case there:
				row.Before = was.number
			case replaced:
				if row.Before = before.number; row.Op == workspace.OpCreate { // written again
					row.Op = workspace.OpEdit
				}
			case kind == workspace.KindFile:
				row.Op = workspace.OpCreate
			default:
				row.Op = workspace.OpAppend
			}
			lines = append(lines, changeLine(row))
		}
		for path, l := range known {
			if !taken[path] {
				lines = append(lines, changeLine(workspace.Change{Kind: kind, Op: workspace.OpDelete, Path: path,
					Before: l.number}))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

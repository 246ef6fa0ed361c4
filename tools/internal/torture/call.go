package torture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The calls of clients.
const (
	doWrite     = "write"
	doEdit      = "edit"
	doMove      = "move"
	doRead      = "read"
	doDelete    = "delete"
	doRestore   = "restore"
	doAppend    = "append"
	doTrim      = "trim"
	doDeleteLog = "delete log"
	doReadLog   = "read log"
	doChanges   = "changes"
	doList      = "list"
	doListLogs  = "list logs"
)

// A call is what a client asks of a server.
type call struct {
	ID   string `json:",omitempty"` // names the call in the journal of changes
	Do   string // one of the constants above
	Path string `json:",omitempty"`
	To   string `json:",omitempty"` // of a move
	Old  string `json:",omitempty"` // what an edit replaces; "": it appends
	Text string `json:",omitempty"`
	// Entries is how many entries an append adds, or how many of the last ones are read. 0: a page
	// from the first.
	Entries int           `json:",omitempty"`
	If      *int64        `json:",omitempty"` // the condition; nil: none
	Since   int64         `json:",omitempty"` // the cursor of changes; the last entry that a trim removes
	Version int64         `json:",omitempty"` // that a restore brings back; 0: the last one of a deleted file
	Key     string        `json:",omitempty"` // the idempotency key
	Within  time.Duration `json:",omitempty"` // the deadline; 0: none
}

// writes reports whether the call can change something.
func (c call) writes() bool {
	return !slices.Contains([]string{doRead, doReadLog, doChanges, doList, doListLogs}, c.Do)
}

// entry returns the text of one of the entries that an append adds.
func (c call) entry(i int) string { return fmt.Sprintf("%s.%d", c.Text, i) }

// The ways in which a call can fail.
const (
	failedNotFound = "not found"
	failedConflict = "conflict"
	failedQuota    = "quota"
	failedNothing  = "nothing happened" // a deadline, or the database was busy
	failedUnknown  = "outcome unknown"
	failedWrong    = "wrong" // an error that no call should get
)

// An answer is what a client got. Two equal answers say the same.
type answer struct {
	Number int64  `json:",omitempty"` // the version, the last entry or the cursor
	Count  int64  `json:",omitempty"` // what was removed or replaced
	Text   string `json:",omitempty"` // what was read: a content, or lines
	Failed string `json:",omitempty"` // one of the constants above; "": it did not
	Error  string `json:",omitempty"` // the error itself, for people
}

// refused reports whether the call ran and was refused: it is known to have changed nothing
// for a reason that a client can check.
func (a answer) refused() bool {
	return a.Failed == failedNotFound || a.Failed == failedConflict || a.Failed == failedQuota
}

// same reports whether two answers say the same to a client.
func (a answer) same(b answer) bool {
	a.Error, b.Error = "", ""
	return a == b
}

// failure returns the answer for an error.
func failure(err error) answer {
	a := answer{Failed: failedWrong, Error: err.Error()}
	for _, f := range []struct {
		kind error
		name string
	}{
		{workspace.ErrOutcomeUnknown, failedUnknown}, {workspace.ErrNotFound, failedNotFound}, {workspace.ErrConflict,
			failedConflict},
		{workspace.ErrQuota, failedQuota}, {workspace.ErrBusy, failedNothing},
	} {
		if errors.Is(err, f.kind) {
			a.Failed = f.name
			return a
		}
	}
	if workspace.Kind(err) == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		a.Failed = failedNothing
	}
	return a
}

// run makes the call. The author of what it writes has the call's ID as session.
func (c call) run(ctx context.Context, ws *workspace.Workspace) answer {
	if c.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Within)
		defer cancel()
	}
	do := c.read
	if c.writes() {
		ws, do = ws.As(workspace.Author{Client: "torture", Session: c.ID}), c.write
	}
	a, err := do(ctx, ws)
	if err != nil {
		return failure(err)
	}
	return a
}

func (c call) write(ctx context.Context, ws *workspace.Workspace) (answer, error) {
	switch c.Do {
	case doWrite:
		r, err := ws.WriteFile(ctx, c.Path, []byte(c.Text),
			workspace.WriteOptions{IfVersion: c.If, IdempotencyKey: c.Key})
		return answer{Number: r.Version}, err
	case doEdit:
		r, err := ws.EditFile(ctx, c.Path, c.Old, c.Text, workspace.EditOptions{IfVersion: c.If, IdempotencyKey: c.Key})
		return answer{Number: r.Version, Count: r.Replacements}, err
	case doMove:
		r, err := ws.MoveFile(ctx, c.Path, c.To, workspace.MoveOptions{IfVersion: c.If, IdempotencyKey: c.Key})
		return answer{Number: r.Version}, err
	case doDelete:
		r, err := ws.DeleteFile(ctx, c.Path, workspace.DeleteOptions{IfVersion: c.If, IdempotencyKey: c.Key})
		return answer{Count: r.Removed + r.Versions}, err
	case doRestore:
		r, err := ws.RestoreFile(ctx, c.Path, workspace.RestoreOptions{Version: c.Version, IdempotencyKey: c.Key})
		return answer{Number: r.Version}, err
	case doAppend:
		entries := make([][]byte, c.Entries)
		for i := range entries {
			entries[i] = []byte(c.entry(i))
		}
		r, err := ws.AppendLogWith(ctx, c.Path, workspace.AppendOptions{IdempotencyKey: c.Key}, entries...)
		return answer{Number: r.Last}, err
	case doTrim:
		r, err := ws.TrimLog(ctx, c.Path, c.Since, workspace.TrimLogOptions{IdempotencyKey: c.Key})
		return answer{Count: r.Removed}, err
	case doDeleteLog:
		r, err := ws.DeleteLog(ctx, c.Path, workspace.DeleteLogOptions{IdempotencyKey: c.Key})
		return answer{Count: r.Removed}, err
	}
	return answer{}, fmt.Errorf("there is no call %q", c.Do)
}

func (c call) read(ctx context.Context, ws *workspace.Workspace) (answer, error) {
	switch c.Do {
	case doRead:
		r, err := ws.ReadFile(ctx, c.Path, workspace.ReadOptions{})
		return answer{Number: r.Version, Text: string(r.Content)}, err
	case doReadLog:
		r, err := ws.ReadLog(ctx, c.Path, workspace.ReadLogOptions{Tail: c.Entries})
		var lines []string
		for _, e := range r.Entries {
			lines = append(lines, logLine(e.ID, string(e.Content)))
		}
		return answer{Number: r.Last, Text: joined(lines)}, err
	case doChanges:
		r, err := ws.Changes(ctx, workspace.ChangesOptions{Since: c.Since})
		var lines []string
		for _, row := range r.Paths {
			lines = append(lines, changeLine(row))
		}
		slices.Sort(lines)
		return answer{Number: r.Cursor, Text: joined(lines)}, err
	case doList:
		r, err := ws.ListFiles(ctx, workspace.ListOptions{})
		var lines []string
		for _, f := range r.Files {
			lines = append(lines, fileLine(f.Path, f.Version, f.Bytes, f.Versions))
		}
		return answer{Text: joined(lines)}, err
	case doListLogs:
		r, err := ws.ListLogs(ctx, workspace.ListOptions{})
		var lines []string
		for _, l := range r.Logs {
			lines = append(lines, fileLine(l.Path, l.Last, l.Bytes, l.Entries()))
		}
		return answer{Text: joined(lines)}, err
	}
	return answer{}, fmt.Errorf("there is no call %q", c.Do)
}

// logPage is how many entries of a log a page has.
const logPage = 100

func joined(lines []string) string { return strings.Join(lines, "\n") }

func logLine(id int64, text string) string { return fmt.Sprintf("%d %s", id, text) }

// fileLine is a line of a list, of a file or of a log.
func fileLine(path string, number, bytes, kept int64) string {
	return fmt.Sprintf("%s %d %d %d", path, number, bytes, kept)
}

// changeLine is a path that has changed. The revision of a deletion is left out: it is that
// of the first or of the last, if there were several.
func changeLine(c workspace.Change) string {
	if c.After == 0 {
		c.Revision = 0
	}
	return fmt.Sprintf("%s %s %q from %q, %d to %d, revision %d", c.Op, c.Kind, c.Path, c.From, c.Before, c.After,
		c.Revision)
}

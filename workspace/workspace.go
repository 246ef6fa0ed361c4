package workspace

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// A Workspace is the files and logs of one agent. It is safe for concurrent use. An
// agent may have several Workspaces, in any number of processes. A Workspace copies what
// it is given, and what it returns is the caller's.
//
// Every method takes paths as strings and parses them. Besides the errors that it names,
// a method returns [ErrInvalid] for a wrong argument, [ErrClosed], and the error of a
// context that ended before anything happened. If the store is in trouble, it returns
// [ErrBusy], [ErrCorrupt], [ErrReadOnly], [ErrStorageFull], and for a write
// [ErrOutcomeUnknown].
type Workspace struct {
	svc    *Service
	owner  Owner
	author Author

	uncounted bool // reads are not counted; see Service.Look
}

// Agent returns the name of the agent.
func (w *Workspace) Agent() string { return w.owner.Agent }

// As returns the same workspace with another author for what is written through it.
// Fields longer than 256 bytes are cut, and invalid UTF-8 in them is replaced.
func (w *Workspace) As(a Author) *Workspace {
	const most = 256 // because they are stored with every version
	c := *w
	c.author = Author{Client: names.Shorten(a.Client, most), Version: names.Shorten(a.Version, most), Key: names.Shorten(a.Key, most)}
	return &c
}

// errNoOwner says that the owner's state is gone. Without it, nothing can be counted or
// numbered.
var errNoOwner = Errorf(ErrCorrupt, "the agent's usage is missing")

// stamp returns the time of a change. It is never before the last time of the path.
func (s *Service) stamp(last time.Time) time.Time {
	t := s.now().UTC().Truncate(time.Microsecond)
	if t.Before(last) {
		return last
	}
	return t
}

// clockSkew is how far the clocks of processes may be apart. A time further in the
// future comes from a clock that was set back since, and nothing waits for it.
const clockSkew = 5 * time.Minute

// maxNumber is the largest version or cursor. Every JSON reader keeps integers up to it
// exactly.
const maxNumber = 1 << 53

// checkNumber checks a version, a cursor or a line that the caller gave.
func checkNumber(op, object string, arg Arg, n, least int64) error {
	switch {
	case n < least:
		return tooSmall(op, object, arg, n, least)
	case n > maxNumber:
		return fail(ErrInvalid, op, object, "%s is %d, the most is 2^53", arg, n)
	}
	return nil
}

func tooSmall(op, object string, arg Arg, n, least int64) error {
	return fail(ErrInvalid, op, object, "%s is %d, the least is %d", arg, n, least)
}

// checkText checks content before anything is stored. of is FileSize or EntrySize.
func (l Limits) checkText(op, object string, content []byte, of Resource) error {
	limit, way := l.FileBytes, DoSplitFile
	if of == EntrySize {
		limit, way = l.EntryBytes, DoSplitEntry
	}
	if size := int64(len(content)); size > limit {
		return within(op, object, tooLarge(of, size, limit, "%d bytes, limit %d", size, limit).or(way, 0))
	}
	if !utf8.Valid(content) {
		return fail(ErrInvalid, op, object, "byte %d is not valid UTF-8; only text can be stored", firstInvalid(content)+1)
	}
	return nil
}

// tooLarge returns the error of a text that is over a limit.
func tooLarge(of Resource, size, limit int64, cause string, args ...any) *Error {
	return Errorf(ErrTooLarge, cause, args...).over(Quota{Of: of, Adds: size, Limit: limit})
}

// firstInvalid returns where the first byte is that is not UTF-8.
func firstInvalid(content []byte) int {
	at := 0
	for at < len(content) {
		r, n := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return at
}

func checkContext(ctx context.Context, op, object string) error {
	if ctx == nil {
		return fail(ErrInvalid, op, object, "the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return within(op, object, err)
	}
	return nil
}

// start parses the path of a call and looks at its context.
func start(ctx context.Context, op, path string) (Path, error) {
	p, err := ParsePath(path)
	if err != nil {
		return Path{}, within(op, path, err)
	}
	return p, checkContext(ctx, op, path)
}

// Author is who wrote a version or an entry, as far as it is known.
type Author struct {
	Client  string // the name that an MCP client gives itself
	Version string // the client's version
	Key     string // the id of the API key, never the key
}

package workspace

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Workspace is the files and logs of one agent. A Workspace is safe for concurrent use. An
// agent may have several Workspaces, in any number of processes. A Workspace copies its
// arguments. The caller may change the results.
//
// Every method takes paths as strings and parses them. Besides the errors in its comment, a
// method returns [ErrInvalid] for a wrong argument, [ErrClosed] if the store is closed, and the
// error of a context that ended before anything happened. If the store is in trouble, a method
// returns [ErrBusy], [ErrCorrupt], [ErrReadOnly] or [ErrStorageFull]. A write can also return
// [ErrOutcomeUnknown]. If the agent is archived, a write that is neither a deletion nor a
// redaction returns [ErrReadOnly] and [ErrArchived].
type Workspace struct {
	svc     *Service
	owner   store.Owner
	author  Author
	project string // see From
	secrets SecretRule

	uncounted bool // reads are not counted; see Service.Look
}

// Agent returns the name of the agent.
func (w *Workspace) Agent() string { return w.owner.Agent }

// As returns the same workspace with another author. Each write through the result has that
// author. As cuts fields after 256 bytes, and replaces invalid UTF-8 and NUL in them.
func (w *Workspace) As(a Author) *Workspace {
	c := *w
	c.author = shortened(a)
	return &c
}

// Author returns the author of writes through the workspace.
func (w *Workspace) Author() Author { return w.author }

// maxAuthor is how many bytes a field has that is stored with every version.
const maxAuthor = 256

// shortened returns the author with fields as they are kept.
func shortened(a Author) Author {
	return Author{Client: names.Shorten(a.Client, maxAuthor), Version: names.Shorten(a.Version, maxAuthor),
		Key: names.Shorten(a.Key, maxAuthor), Session: names.Shorten(a.Session, maxAuthor)}
}

// stored returns the author as a version or an entry keeps it.
func stored(a Author) Author {
	a.Session = ""
	return a
}

// errNoOwner says that the owner's state is gone. Without it, nothing can be counted or
// numbered.
var errNoOwner = Errorf(ErrCorrupt, "the agent's usage is missing")

// stamp returns the time of a change. It is never before the last time of the path.
func (s *Service) stamp(last time.Time) time.Time {
	t := s.o.Now().UTC().Truncate(time.Microsecond)
	if t.Before(last) {
		return last
	}
	return t
}

// clockSkew is how far the clocks of processes may be apart. A time further in the
// future comes from a clock that was set back since, and nothing waits for it.
const clockSkew = 5 * time.Minute

package workspace

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// From returns the same workspace for writes from a project. The project's own memory is that
// of another agent. Each version that is written through the result keeps the name of the
// project. From cuts the name as [Workspace.As] cuts fields. "" means no project.
//
// A project cannot give instructions to other projects, and cannot take anything away from them:
//   - A project cannot write, move or delete START.md, in upper or lower case. The error is
//     [ErrInvalid].
//   - A project has half of [Limits].Files and Bytes. A write that takes the agent over a half is
//     [ErrQuota].
//   - A write is also [ErrQuota] if it would remove old changes from the journal, remove requests
//     that can still be repeated, make the agent keep the numbers of more than 5,000 deleted
//     files or 5,000 deleted logs, or the versions of more than 500 deleted files.
//   - A deletion keeps the versions of the file, so that a person can restore them. A project cannot
//     delete for good. Its writes never remove what is kept of deleted files.
//   - A write never removes the newest version from outside of this project, nor the newest
//     version from outside of all projects. To keep these versions, a file may have up to ten
//     times [Limits].Versions. A further write is [ErrConflict]. So is a move or a redaction of a
//     file that has such a version, a deletion if [Options].KeepDeleted is 0, and a move to a path
//     with versions of a deleted file.
func (w *Workspace) From(project string) *Workspace {
	c := *w
	c.project = names.Shorten(project, maxAuthor)
	return &c
}

// checkStart refuses to a project the file that others read first.
func (w *Workspace) checkStart(path string) error {
	if w.project == "" || !strings.EqualFold(path, "START.md") {
		return nil
	}
	return or(Errorf(ErrInvalid, "a project does not write what others read first"), store.DoOutside, 0)
}

// manyVersions is how many times [Limits].Versions a file may have for a project.
const manyVersions = 10

// sinceOutside returns how many versions of the file that was loaded there are from the newest one
// that was written outside of all projects, or else outside of this one. It returns 0 if there is none.
func (r *run) sinceOutside() int {
	if r.w.project == "" {
		return 0
	}
	since := 0
	for i := len(r.Versions) - 1; i >= 0; i-- {
		switch by := r.Versions[i].Project; {
		case by == "":
			return len(r.Versions) - i
		case by != r.w.project && since == 0:
			since = len(r.Versions) - i
		}
	}
	return since
}

// checkForgotten refuses to a project a change for which the store would forget what others have
// done. old is what the change removes.
func (r *run) checkForgotten(old store.Old) error {
	full := ""
	switch is, was := r.after, r.Owner; {
	case r.w.project == "":
	case old.Changes > 0:
		full = "the journal is full, and the oldest changes would go"
	case old.DueBefore.Equal(never):
		full = "all idempotency keys of a day are used"
	case is.DeletedFiles > max(was.DeletedFiles, maxDeleted/2), is.DeletedLogs > max(was.DeletedLogs, maxDeleted/2):
		full = fmt.Sprintf("the numbers of %d deleted paths are kept", maxDeleted/2)
	case is.Restorable > max(was.Restorable, maxRestorable/2):
		full = fmt.Sprintf("the versions of %d deleted files are kept", maxRestorable/2)
	}
	if full == "" {
		return nil
	}
	return or(Errorf(ErrQuota, "%s", full), store.DoOutside, 0)
}

// checkOutside refuses to a project what takes away a version that it has not written.
func (r *run) checkOutside() error {
	if n := r.sinceOutside(); n > 0 {
		return or(Errorf(ErrConflict, "version %d was written outside of project %s",
			r.Versions[len(r.Versions)-n].Number, names.Clip(r.w.project)), store.DoOutside, 0)
	}
	return nil
}

// limits are those of the agent, of which a project has half.
func (w *Workspace) limits() Limits {
	l := w.svc.o.Limits
	if w.project != "" {
		l.Files, l.Bytes = l.Files/2, l.Bytes/2
	}
	return l
}

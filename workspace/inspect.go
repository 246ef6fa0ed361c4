package workspace

import (
	"cmp"
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Limits returns the limits of each agent, without zero fields.
func (s *Service) Limits() Limits { return s.limits }

// FindAgents returns a page of the agents that hold anything. Errors: [ErrInvalid] and
// those of the store.
func (s *Service) FindAgents(ctx context.Context, q AgentsQuery) (page AgentPage, err error) {
	if err = checkContext(ctx); err == nil {
		page, err = s.agentPage(ctx, q)
	}
	return page, within("find", "agents", err)
}

// Watch returns a channel that tells which agents of the tenant have written: those that
// allow reports, or all if it is nil. "" stands for all of them: any may have written.
// allow must not block.
//
// All Watches of a Service, and of those that Tenant returned, share one subscription. It
// is best effort, as [store.Store.Watch] is: what was told may not be there, and one name
// may stand for several writes. But after the last write of an agent its name is told, or
// "", if it was written after Watch has returned. Whoever is slow is told "", and makes
// nobody else wait. The channel is closed when ctx ends, or the store is closed. Errors:
// those of the store.
func (s *Service) Watch(ctx context.Context, allow func(agent string) bool) (<-chan string, error) {
	if err := checkContext(ctx); err != nil {
		return nil, within(opWatch, "agents", err)
	}
	told, err := s.wakes.Feed(ctx, func(o store.Owner) (string, bool) {
		return o.Agent, o.Tenant == s.tenant && (allow == nil || allow(o.Agent))
	})
	return told, within(opWatch, "agents", err)
}

// ChangeLog returns a page of the journal of changes as it was written, the newest first.
// ChangeLog is not counted as an operation. [Workspace.Changes] joins the rows of a path.
// Errors: [ErrInvalid].
func (w *Workspace) ChangeLog(ctx context.Context, q ChangeLogQuery) (c ChangeLog, err error) {
	if q.Prefix, err = w.paths.clean(ArgPrefix, q.Prefix, names.Rule.Prefix); err == nil {
		c, err = view(ctx, w, func(r store.Reader) (ChangeLog, error) {
			return changesBack(r, q, w.svc.limits.Changes)
		})
	}
	return c, within(opChanges, "", err)
}

// ViewFiles returns a page of the files with their authors. ViewFiles is not counted as an
// operation. Errors: [ErrInvalid].
func (w *Workspace) ViewFiles(ctx context.Context, q FilesQuery) (FilesView, error) {
	v, err := view(ctx, w, func(r store.Reader) (FilesView, error) { return filesView(r, q) })
	return v, within("list files", "", err)
}

// ViewLog returns a page of a log, the newest entries first. ViewLog is not counted as an
// operation. The page of a log that does not exist is empty. Errors: [ErrInvalid], and
// [ErrCorrupt] if an entry of the page is not what was written.
func (w *Workspace) ViewLog(ctx context.Context, path string, q LogQuery) (v LogView, err error) {
	p, err := w.start(ctx, path)
	if err == nil {
		err = checkLogQuery(&q)
	}
	if err == nil {
		v, err = view(ctx, w, func(r store.Reader) (LogView, error) { return readBack(r, p.name, q) })
	}
	return v, within(opReadLog, path, err)
}

// Summaries returns a page of the summaries that are kept. It makes none, and is not
// counted as an operation. Errors: [ErrInvalid].
func (w *Workspace) Summaries(ctx context.Context, q SummariesQuery) (SummaryPage, error) {
	page, err := view(ctx, w, func(r store.Reader) (SummaryPage, error) { return listSummaries(r, q) })
	return page, within("list", "summaries", err)
}

// SummarySpend returns what the agent's summaries have cost this month, and the limit,
// [Options.SummaryTokens].
func (w *Workspace) SummarySpend(ctx context.Context) (s SummarySpend, err error) {
	if err = checkContext(ctx); err == nil {
		s.Month, s.Tokens, s.Limit, err = w.svc.summaries.Spent(ctx, w.owner)
	}
	return s, within("read", "summary tokens", err)
}

// ViewFile returns a version of a file, found by the file's path or by when it was created.
// A file keeps its time of creation when it moves, and a file that is written has one that
// no other file of the agent has. Files from elsewhere may share one.
// Errors: [ErrNotFound]; [ErrConflict] if files share the time of creation; [ErrCorrupt].
func ViewFile(ctx context.Context, w *Workspace, q FileQuery) (v FileView, err error) {
	if q.Path != "" {
		var p Path
		p, err = UnicodePaths.Parse(q.Path) // all that may be stored
		q.Path = cmp.Or(p.name, q.Path)
	}
	if err == nil {
		v, err = w.viewFile(ctx, q)
	}
	if q.Count {
		w.counted(err)
	}
	if err != nil {
		return FileView{}, within("read", q.Path, err)
	}
	return v, nil
}

// viewFile looks for the path first and then at it: a look of one round trip needs no
// snapshot that is kept open. If the file has moved in between, both are done on one.
func (w *Workspace) viewFile(ctx context.Context, q FileQuery) (v FileView, err error) {
	at := q
	if q.Path == "" {
		at.Path, err = view(ctx, w, func(r store.Reader) (string, error) { return findCreated(r, q.Created) })
	}
	if err == nil {
		v, err = view(ctx, w, func(r store.Reader) (FileView, error) { return viewVersion(r, at) })
	}
	if q.Path == "" && at.Path != "" && errors.Is(err, ErrNotFound) {
		v, err = view(ctx, w, func(r store.Reader) (FileView, error) { return viewVersion(r, q) })
	}
	return v, err
}

// ViewVersions returns a page of the versions that are kept of all files, the newest first,
// without content. ViewVersions is not counted as an operation. Errors: [ErrInvalid].
func ViewVersions(ctx context.Context, w *Workspace, q VersionsQuery) (VersionsPage, error) {
	page, err := view(ctx, w, func(r store.Reader) (VersionsPage, error) { return listVersions(r, q) })
	return page, within("list versions", "", err)
}

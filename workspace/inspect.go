package workspace

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Limits returns the limits of each agent, without zero fields.
func (s *Service) Limits() Limits { return s.o.Limits }

// TenantName returns the tenant of the Service.
func (s *Service) TenantName() string { return s.o.Tenant }

// KeepDeleted returns for how long a file that is deleted now keeps its versions. 0: not at all.
func (s *Service) KeepDeleted() time.Duration { return s.o.KeepDeleted }

// Watch returns a channel that receives the name of an agent of the tenant after each write to
// that agent. If allow is not nil, Watch sends only the names for which allow returns true. allow
// must not block. The name "" means that any agent may have been written.
//
// Watch is best effort, as [store.Store.Watch] is: a name may come without a write, and one
// name may stand for several writes. But after the last write to an agent, if Watch had
// returned before the write, the channel receives the agent's name or "". A slow receiver gets
// "" in place of names, and delays nobody else. All Watches of a Service, and of the Services
// from [Service.Tenant], share one subscription to the store. The channel is closed when ctx
// ends or the store is closed. Errors: those of the store.
func (s *Service) Watch(ctx context.Context, allow func(agent string) bool) (<-chan string, error) {
	if err := checkContext(ctx); err != nil {
		return nil, within(opWatch, "agents", err)
	}
	told, err := s.wakes.Feed(ctx, func(o store.Owner) (string, bool) {
		return o.Agent, o.Tenant == s.o.Tenant && (allow == nil || allow(o.Agent))
	})
	return told, within(opWatch, "agents", err)
}

// ChangeLog returns a page of the rows of the journal of changes, the newest first. It does not
// join the rows of a path, as [Workspace.Changes] does. ChangeLog does not count as an
// operation. Errors: [ErrInvalid].
func (w *Workspace) ChangeLog(ctx context.Context, q ChangeLogQuery) (c ChangeLog, err error) {
	if q.Prefix, err = w.svc.o.Paths.stored(store.ArgPrefix, q.Prefix, names.Rule.Prefix); err == nil {
		c, err = view(ctx, w, func(r store.Reader) (ChangeLog, error) {
			return changesBack(r, q, w.svc.o.Limits.Changes)
		})
	}
	return c, within(opChanges, "", err)
}

// ViewLog returns a page of a log, the newest entries first. If the log does not exist, the
// page is empty. ViewLog does not count as an operation. Errors: [ErrInvalid]; [ErrCorrupt] if
// an entry of the page is not what was written.
func (w *Workspace) ViewLog(ctx context.Context, path string, q LogQuery) (v LogView, err error) {
	p, err := w.start(ctx, path)
	if err == nil {
		err = checkLogQuery(&q)
	}
	if err == nil {
		// Entries that were written under a higher limit stay.
		atOnce := max(1, bytesAtOnce/max(w.svc.o.Limits.EntryBytes, DefaultLimits().EntryBytes))
		v, err = view(ctx, w, func(r store.Reader) (LogView, error) { return readBack(r, p.name, q, atOnce) })
	}
	return v, within(opReadLog, path, err)
}

// Summaries returns a page of the stored summaries. Summaries makes no summary, and does not
// count as an operation. Errors: [ErrInvalid].
func (w *Workspace) Summaries(ctx context.Context, q SummariesQuery) (SummaryPage, error) {
	err := checkAfter(q.After)
	if err == nil && q.Path != "" {
		var p Path
		p, err = w.start(ctx, q.Path)
		q.Path = p.name
	}
	if err != nil {
		return SummaryPage{}, within("list", "summaries", err)
	}
	page, err := view(ctx, w, func(r store.Reader) (SummaryPage, error) { return listSummaries(r, q) })
	return page, within("list", "summaries", err)
}

// SummarySpend returns how many tokens the agent's summaries have cost this month, and the
// limit, [Options].SummaryTokens.
func (w *Workspace) SummarySpend(ctx context.Context) (s SummarySpend, err error) {
	if err = checkContext(ctx); err == nil {
		s.Month, s.Tokens, s.Limit, err = w.svc.summaries.Spent(ctx, w.owner)
	}
	return s, within("read", "summary tokens", err)
}

// ViewFile returns a version of a file. ViewFile finds the file by its path, or by its time of
// creation. A file keeps its time of creation when it moves. Two files that were written here
// never have the same time of creation, but imported files may.
//
// Errors: [ErrNotFound] if there is no such file or version; [ErrConflict] without a path, if
// several files have the time of creation; [ErrCorrupt].
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
		at.Path, err = view(ctx, w, func(r store.Reader) (string, error) { return findCreated(r, q, w.svc.o.Now()) })
	}
	if err == nil {
		v, err = view(ctx, w, func(r store.Reader) (FileView, error) { return viewVersion(r, at, w.svc.o.Now()) })
	}
	if q.Path == "" && at.Path != "" && errors.Is(err, ErrNotFound) {
		v, err = view(ctx, w, func(r store.Reader) (FileView, error) { return viewVersion(r, q, w.svc.o.Now()) })
	}
	return v, err
}

// ViewVersions returns a page of the retained versions of all files, and of all deleted files that
// can be restored, the newest first, without
// content. ViewVersions does not count as an operation. Errors: [ErrInvalid].
func ViewVersions(ctx context.Context, w *Workspace, q VersionsQuery) (VersionsPage, error) {
	page, err := view(ctx, w, func(r store.Reader) (VersionsPage, error) { return listVersions(r, q, w.svc.o.Now()) })
	return page, within("list versions", "", err)
}

package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/wake"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Options of [New]. The zero value works.
type Options struct {
	Tenant string           // the owner of the agents, in the characters of an AgentID; "": "local"
	Limits Limits           // of each agent; zero fields take their defaults
	Store  StoreLimits      // of all agents together; zero fields take their defaults
	Now    func() time.Time // nil: time.Now
	Paths  PathRule         // which paths can be made; a path that is stored can be read, moved and deleted

	Secrets SecretRule // what a write does with a secret

	// CountTokens counts the tokens of a text, for MaxTokens, for the bounds of a search and of
	// Changes, and to decide that a difference is cheaper than the file. It gets texts of at most
	// 2 KiB, whose tokens are added up, and must be safe for concurrent use. It is called only for
	// texts that have more bytes than the bound has tokens. nil: tokens.Estimate, which is low by
	// up to three quarters in some languages. tokens/o200k counts exactly.
	CountTokens func(text string) int

	// KeepVersions says that a write never reduces the number of versions of a file. If a file has
	// more than Limits.Versions, a write removes its oldest version alone.
	KeepVersions bool

	// KeepDeleted is for how long a deleted file keeps its versions, see Workspace.DeleteFile. 0: a
	// deletion removes them at once. Each deletion stores when its time ends, so a later Service
	// with another KeepDeleted changes nothing of it.
	KeepDeleted time.Duration

	Summarizer    *Summarizer // makes the summaries of Workspace.Summarize; nil: there are none
	SummaryTokens int64       // tokens that models may read and write for an agent in a month of UTC; 0: no limit
}

// A Service gives each agent of a tenant its [Workspace]. An operator uses the Service to
// list and delete agents. A Service is safe for concurrent use.
type Service struct {
	store   Store
	o       Options // with defaults
	total   *total
	archive *registry.Gate

	reads *unwrittenReads // not written yet
	wakes *wake.Hub       // of those who watch

	searches  *admission.Semaphore // bytes; see [search.Weight]
	summaries *summaries.Maker
}

// New returns a Service that keeps its data in store. The caller closes the Service first,
// and then the store. Errors: [ErrInvalid].
func New(store Store, o Options) (*Service, error) {
	if store == nil {
		return nil, fail(ErrInvalid, "new", "service", "the store is nil")
	}
	if o.Tenant == "" {
		o.Tenant = "local"
	}
	if cause := names.Agent(o.Tenant); cause != "" {
		return nil, fail(ErrInvalid, "tenant", o.Tenant, "%s", cause)
	}
	var err error
	if o.Limits, err = o.Limits.withDefaults(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Paths != ASCIIPaths && o.Paths != UnicodePaths {
		return nil, fail(ErrInvalid, "new", "service", "there is no PathRule %d", int(o.Paths))
	}
	if o.Secrets < SecretsOff || o.Secrets > SecretsRefuse {
		return nil, fail(ErrInvalid, "new", "service", "there is no SecretRule %d", int(o.Secrets))
	}
	if o.SummaryTokens < 0 {
		return nil, fail(ErrInvalid, "limit", "SummaryTokens", "%d is negative", o.SummaryTokens)
	}
	if o.KeepDeleted < 0 {
		return nil, fail(ErrInvalid, "new", "service", "KeepDeleted %s is negative", o.KeepDeleted)
	}
	if err := o.Summarizer.check(); err != nil {
		return nil, err
	}
	if o.Summarizer != nil {
		o.Summarizer = new(*o.Summarizer)
	}
	s := &Service{store: store, o: o, archive: registry.NewGate(), total: newTotal(o.Store),
		searches: admission.New(search.Memory, search.Memory)}
	s.reads = &unwrittenReads{store: store}
	s.wakes = wake.NewHub(store.Watch)
	s.summaries = summaries.New(s.store.System, o.Now, o.SummaryTokens)
	return s, nil
}

// Tenant returns the Service of another tenant on the same store. limits hold for all agents
// of that tenant together; a zero field takes its default. The two Services share everything
// else: the options, the memory for searches, and the counts of reads that are not written
// yet. So Close of either closes both. A call of Tenant is cheap.
//
// If a tenant has several Services at a time, its limits are less exact; see [StoreLimits].
// Errors: [ErrInvalid].
func (s *Service) Tenant(name string, limits StoreLimits) (*Service, error) {
	if cause := names.Agent(name); cause != "" {
		return nil, fail(ErrInvalid, "tenant", name, "%s", cause)
	}
	t := *s
	t.o.Tenant, t.archive, t.total = name, registry.NewGate(), newTotal(limits)
	return &t, nil
}

// Close stops the summaries that are being made, and waits for them until ctx ends. Then it
// writes the counts of reads that are still in memory to the store. Close does not close the
// store. Workspaces can still be used after Close; a later Close writes their counts.
func (s *Service) Close(ctx context.Context) error {
	if ctx == nil {
		return fail(ErrInvalid, "close", "service", "the context is nil")
	}
	s.summaries.Close(ctx)
	return s.reads.flush(ctx)
}

// Agent returns the workspace of an agent. The agent need not exist. Agent does not read the
// store. Errors: [ErrInvalid].
func (s *Service) Agent(agentID string) (*Workspace, error) {
	id, err := ParseAgentID(agentID)
	if err != nil {
		return nil, err
	}
	return &Workspace{svc: s, owner: s.owner(id), secrets: s.o.Secrets}, nil
}

// Look returns the workspace of an agent for an operator. Reads through this workspace are
// not counted as operations of the agent; writes are. Errors: [ErrInvalid].
func (s *Service) Look(agentID string) (*Workspace, error) {
	w, err := s.Agent(agentID)
	if err != nil {
		return nil, err
	}
	w.uncounted = true
	return w, nil
}

// DeleteAgent removes all files and logs of an agent, what is kept of its deleted files, its
// journal of changes, its kept requests, its marks, its profile, and the record of its spending on
// summaries. It reports whether there was anything to remove. Each file and log is removed in a transaction of its
// own. If DeleteAgent is interrupted, call it again.
//
// The store keeps the highest numbers of the agent's paths and the number of its last change
// as the agent's floor, so that no number is ever given twice. Floors are kept for 30 days. A
// tenant keeps the floors of at most 1,000 deleted agents, and of no more than
// [StoreLimits].Agents. Each DeleteAgent removes up to 100 floors that are too old, and up to
// 100 that are too many. Their numbers are merged into at most 65,536 shared records of the
// tenant, so the numbers of a new agent may begin above 1.
//
// Errors: [ErrInvalid] and those of the store.
func (s *Service) DeleteAgent(ctx context.Context, agentID string) (bool, error) {
	w, err := s.Agent(agentID)
	if err != nil {
		return false, err
	}
	if err := checkContext(ctx); err != nil {
		return false, within("delete", agentID, err)
	}
	final := *s
	final.o.KeepDeleted = 0
	w.svc = &final
	files, err := w.deleteAll(ctx, KindFile, func(path string) error {
		_, err := w.DeleteFile(ctx, path, DeleteOptions{})
		return err
	})
	logs := false
	if err == nil {
		logs, err = w.deleteAll(ctx, KindLog, func(path string) error {
			_, err := w.DeleteLog(ctx, path, DeleteLogOptions{})
			return err
		})
	}
	found := files || logs
	if err != nil {
		return found, err
	}
	s.reads.take(w.owner)
	profile, err := registry.ForgetProfile(s.store.System(ctx), w.owner)
	s.archive.Reread()
	if err := errors.Join(err, s.summaries.Forget(ctx, w.owner), registry.ForgetMarks(ctx, s.store,
		w.owner)); err != nil {
		return found, within("delete", agentID, err)
	}
	var counted bool
	err = s.store.Update(ctx, w.owner, func(tx store.Tx) (err error) {
		counted, err = forgetAll(tx, s.stamp(time.Time{}))
		return err
	})
	if err != nil {
		return found, within("delete", agentID, err)
	}
	s.sweepDeleted(ctx)
	return found || counted || profile, nil
}

// deleteAll removes all files or logs, and reports whether there were any.
func (w *Workspace) deleteAll(
	ctx context.Context, kind PathKind, remove func(path string) error,
) (found bool, err error) {
	for more := true; more; {
		page, err := w.listPage(ctx, "delete", kind, ListOptions{})
		if err != nil {
			return found, err
		}
		more = page.More
		for _, path := range pathsOf(page) {
			if err := remove(path); err != nil {
				return found, err
			}
			found = true
		}
	}
	return found, nil
}

func (s *Service) owner(id AgentID) store.Owner {
	return store.Owner{Tenant: s.o.Tenant, Agent: id.name}
}

const (
	floorTime   = 30 * 24 * time.Hour // from a deletion of an agent until its row may go
	floorSweeps = 100                 // rows that one deletion removes at most
	maxFloors   = 1000                // rows of deleted agents that a tenant keeps at most
)

// sweepDeleted removes the rows of agents that were deleted long ago, or in the future,
// by a clock that was set back since. Then it removes the rows of any deleted agents until the
// tenant has no more than it may keep. After an error, the next sweep tries again.
func (s *Service) sweepDeleted(ctx context.Context) {
	now := s.o.Now()
	s.sweep(ctx, now.Add(-floorTime), now.Add(clockSkew), 0)
	keep := maxFloors
	if limit := s.total.limits.Agents; limit >= 0 && limit < maxFloors {
		keep = int(limit)
	}
	s.sweep(ctx, never, never, keep)
}

// sweep removes rows of agents whose deletion was before the time from or after the time to.
// It keeps some of the rows.
func (s *Service) sweep(ctx context.Context, from, to time.Time, keep int) {
	q := store.OwnersQuery{Which: store.DeletedOwners, Tenant: s.o.Tenant, UpdatedBefore: from, UpdatedAfter: to,
		Limit: keep + floorSweeps}
	list, err := s.store.Owners(ctx, q)
	if err != nil {
		return
	}
	for _, o := range list.Owners[:max(0, len(list.Owners)-keep)] {
		if err := registry.Sweep(ctx, s.store, o.Owner); err != nil && !errors.Is(err, ErrCorrupt) {
			return
		}
	}
}

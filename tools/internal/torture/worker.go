package torture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An Opener opens a database as a server does.
type Opener func(ctx context.Context, database string) (workspace.Store, error)

// A request is what [Run] asks of a server process. The first one has a Database, each
// other one of the pointers or a Do.
type request struct {
	N        int64
	Database string  `json:",omitempty"`
	Tenant   string  `json:",omitempty"`
	Agent    string  `json:",omitempty"`
	Call     *call   `json:",omitempty"`
	Canary   *canary `json:",omitempty"`
	Follow   *follow `json:",omitempty"`
	Do       string  `json:",omitempty"` // one of the constants below
}

const (
	doLook   = "look"   // returns all that an agent has
	doForget = "forget" // deletes an agent
	doWipe   = "wipe"   // deletes all agents of a tenant, and leaves nothing of them
)

// A reply is the answer to the request of its number.
type reply struct {
	N      int64
	Error  string  `json:",omitempty"`
	Answer *answer `json:",omitempty"`
	// Begin is when the call began, by the clock that all processes share. 0: there is no call.
	Begin  int64              `json:",omitempty"`
	End    int64              `json:",omitempty"`
	Look   *look              `json:",omitempty"`
	Canary *canary            `json:",omitempty"`
	Rows   []workspace.Change `json:",omitempty"` // of a follow
}

// Work is a server process: it opens the database that the first line of in names, makes
// the calls of the other lines, many at once, and writes the answers to out. It returns
// when in ends.
func Work(ctx context.Context, in io.Reader, out io.Writer, open Opener) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	var first request
	if err := readLine(lines, &first); err != nil {
		return fmt.Errorf("the first line: %w", err)
	}
	store, err := open(ctx, first.Database)
	if err != nil {
		return err
	}
	svc, err := workspace.New(store, workspace.Options{Tenant: first.Tenant, Limits: limits,
		KeepDeleted: keepDeleted})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	w := &server{store: store, services: map[string]*workspace.Service{first.Tenant: svc}, out: out}
	w.tell(reply{N: first.N})
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	for {
		var r request
		if err := readLine(lines, &r); err != nil {
			break // the parent has no more
		}
		calls.Go(func() { w.tell(w.do(ctx, r)) })
	}
	cancel()
	calls.Wait()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	closed := svc.Close(late)
	if closed != nil {
		if f := failure(closed).Failed; f == failedUnknown || f == failedNothing {
			closed = nil // reads were not counted; nothing that was acknowledged is lost
		}
	}
	return errors.Join(closed, store.Close())
}

func readLine(r *bufio.Reader, v any) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err // what has no end was cut off by a kill
	}
	return json.Unmarshal(line, v)
}

// A server is what a server process has.
type server struct {
	store workspace.Store

	mu       sync.Mutex // guards the following, and writing to out
	services map[string]*workspace.Service
	out      io.Writer
}

// tell writes a reply as one line. If the parent is gone, nobody needs it.
func (w *server) tell(r reply) {
	b, err := json.Marshal(r)
	if err != nil {
		b, _ = json.Marshal(reply{N: r.N, Error: err.Error()})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.out.Write(append(b, '\n'))
}

// service returns the service of a tenant.
func (w *server) service(tenant string) (*workspace.Service, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if svc, ok := w.services[tenant]; ok {
		return svc, nil
	}
	for _, any := range w.services {
		svc, err := any.Tenant(tenant, workspace.StoreLimits{})
		if err == nil {
			w.services[tenant] = svc
		}
		return svc, err
	}
	return nil, errors.New("there is no service")
}

func (w *server) do(ctx context.Context, r request) reply {
	out := reply{N: r.N}
	svc, err := w.service(r.Tenant)
	if err != nil {
		return reply{N: r.N, Error: err.Error()}
	}
	owner := store.Owner{Tenant: r.Tenant, Agent: r.Agent}
	if r.Do == doWipe {
		if err := w.wipe(ctx, svc, r.Tenant); err != nil {
			out.Error = err.Error()
		}
		return out
	}
	ws, err := svc.Agent(r.Agent)
	switch {
	case err != nil:
	case r.Call != nil:
		begin := clock()
		a := r.Call.run(ctx, ws)
		out.Answer, out.Begin, out.End = &a, begin, clock()
	case r.Canary != nil:
		c := r.Canary.sing(ctx, ws)
		out.Canary = &c
	case r.Follow != nil:
		out.Rows, err = r.Follow.run(ctx, ws)
	case r.Do == doForget:
		err = forget(ctx, svc, r.Agent)
	default:
		err = insist(func() (err error) {
			out.Look, err = lookAt(ctx, w.store, owner)
			return err
		})
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// forget deletes an agent.
func forget(ctx context.Context, svc *workspace.Service, agent string) error {
	return insist(func() error {
		_, err := svc.DeleteAgent(ctx, agent)
		return err
	})
}

// insist calls fn again while the outcome is not known, or the database is busy.
func insist(fn func() error) (err error) {
	const tries = 20
	for range tries {
		if err = fn(); err == nil {
			return nil
		}
		if f := failure(err).Failed; f != failedUnknown && f != failedNothing {
			return err
		}
	}
	return err
}

// wipe deletes all agents of a tenant, with the numbers that they had reached.
func (w *server) wipe(ctx context.Context, svc *workspace.Service, tenant string) error {
	for {
		agents, err := svc.Agents(ctx, workspace.AgentsQuery{Patterns: []string{"*"}})
		if err != nil {
			return err
		}
		for _, a := range agents.Agents {
			if err := forget(ctx, svc, a.Agent); err != nil {
				return err
			}
		}
		if len(agents.Agents) == 0 {
			break
		}
	}
	for {
		ahead := time.Now().Add(time.Hour)
		list, err := w.store.Owners(ctx, store.OwnersQuery{Which: store.DeletedOwners, Tenant: tenant, UpdatedBefore: ahead,
			UpdatedAfter: ahead, Limit: 100})
		if err != nil || len(list.Owners) == 0 {
			return err
		}
		for _, o := range list.Owners {
			err := insist(func() error {
				return w.store.Update(ctx, o.Owner, func(tx store.Tx) error { return tx.Apply(store.OwnerState{}) })
			})
			if err != nil {
				return err
			}
		}
	}
}

// --- what an agent has

// A look is all that an agent has in one snapshot.
type look struct {
	State store.OwnerState
	Rows  []workspace.Change // the journal
	Files map[string]lookFile
	Logs  map[string]lookLog
}

type lookFile struct {
	Version int64    // the highest that the path ever had
	Deleted bool     `json:",omitempty"`
	Numbers []int64  `json:",omitempty"` // of the retained versions, the oldest first
	Texts   []string `json:",omitempty"` // of the retained versions, the oldest first
}

type lookLog struct {
	Last    int64
	Exists  bool     `json:",omitempty"`
	Entries []string `json:",omitempty"`
}

func lookAt(ctx context.Context, db workspace.Store, o store.Owner) (*look, error) {
	var l *look
	err := db.View(ctx, o, func(r store.Reader) (err error) {
		l = &look{Files: map[string]lookFile{}, Logs: map[string]lookLog{}}
		if l.State, err = r.Owner(); err != nil {
			return err
		}
		for {
			rows, err := r.Changes(int64(len(l.Rows)), 500)
			if err != nil {
				return err
			}
			l.Rows = append(l.Rows, rows...)
			if len(rows) < 500 {
				break
			}
		}
		return errors.Join(l.readFiles(r), l.readLogs(r))
	})
	return l, err
}

func (l *look) readFiles(r store.Reader) error {
	for _, path := range filePaths {
		loaded, err := r.Load(store.Query{File: path})
		if err != nil {
			return err
		}
		h := loaded.File
		f := lookFile{Version: h.Version, Deleted: h.Deleted, Numbers: h.Numbers()}
		for _, n := range f.Numbers {
			one, err := r.Load(store.Query{File: path, Version: n})
			if err != nil {
				return fmt.Errorf("version %d of %s: %w", n, path, err)
			}
			f.Texts = append(f.Texts, string(one.Version.Content))
		}
		l.Files[path] = f
	}
	return nil
}

func (l *look) readLogs(r store.Reader) error {
	for _, path := range logPaths {
		loaded, err := r.Load(store.Query{Log: path, Entries: &store.EntryQuery{}})
		if err != nil {
			return err
		}
		h := loaded.Log
		g := lookLog{Last: h.Last, Exists: h.Exists()}
		for i, e := range loaded.Entries {
			if want := h.First + int64(i); e.ID != want {
				return fmt.Errorf("entry %d of %s is where entry %d belongs", e.ID, path, want)
			}
			g.Entries = append(g.Entries, string(e.Content))
		}
		l.Logs[path] = g
	}
	return nil
}

// --- a follower

// A follow reads the journal of changes as it grows.
type follow struct {
	After int64         // the last revision that the follower has
	Until int64         // the last one that it wants
	Wait  time.Duration // how long it waits for that
}

// run returns the rows after a revision, as a follower gets them.
func (f follow) run(ctx context.Context, ws *workspace.Workspace) (rows []workspace.Change, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.Wait)
	defer cancel()
	for row, err := range ws.Watch(ctx, f.After) {
		if err != nil {
			if failure(err).Failed == failedNothing { // the next follow goes on
				err = nil
			}
			return rows, err
		}
		if rows = append(rows, row); row.Revision >= f.Until {
			break
		}
	}
	return rows, nil
}

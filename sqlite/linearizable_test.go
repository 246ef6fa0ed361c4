//go:build unix

package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/anishathalye/porcupine"
	"golang.org/x/sys/unix"
)

var linearHistories = flag.Int("histories", 0, "histories that TestLinearizable checks; 0: 4, 10 with SCRATCHPAD_TEST=all, 20 with SCRATCHPAD_TEST=full")

const (
	linearClients   = 8
	linearProcesses = 3
	linearOps       = 25 // of each client
	linearVersions  = 10 // retained
	linearDecide    = 2 * time.Minute
)

var linearPaths = [...]string{"a.txt", "b.txt", "c.txt"}

const linearLog = "all.log"

// linearInput is a call. If is -1 if there is no condition.
type linearInput struct {
	Do      string // write, read, delete, append, trim, read log, list
	Path    int
	Content string
	If      int64
	Through int64 `json:",omitempty"` // of a trim, an entry that was seen
}

// linearOutput is an answer. A call whose process was killed has none.
type linearOutput struct {
	Number  int64  `json:",omitempty"` // version, the last entry, or the versions that were removed
	Content string `json:",omitempty"` // that was read; of a list: versions and sizes
	None    bool   `json:",omitempty"` // ErrNotFound
	Refused bool   `json:",omitempty"` // ErrConflict
	Error   string `json:",omitempty"` // another one: there must be none
}

// --- the model

type linearFile struct {
	version int64 // the highest ever
	kept    int64 // retained versions; 0: there is no file
	content string
}

type linearState struct {
	files [len(linearPaths)]linearFile
	first int64 // entry in the log, less one: those that are gone
	last  int64
	log   string
}

var linearModel = porcupine.Model{
	Init: func() any { return linearState{} },
	Step: func(state, input, output any) (bool, any) {
		after, want := state.(linearState).step(input.(linearInput))
		have := output.(*linearOutput)
		return have == nil || *have == want, after
	},
	DescribeOperation: func(input, output any) string {
		in, out := input.(linearInput), "no answer"
		if o := output.(*linearOutput); o != nil {
			out = fmt.Sprintf("%+v", *o)
		}
		return fmt.Sprintf("%+v -> %s", in, out)
	},
}

// step returns the state after a call, and the answer that it must get.
func (s linearState) step(in linearInput) (linearState, linearOutput) {
	f := &s.files[in.Path]
	current := f.version
	if f.kept == 0 {
		current = 0
	}
	switch in.Do {
	case "write":
		if in.If >= 0 && in.If != current {
			return s, linearOutput{Refused: true}
		}
		*f = linearFile{f.version + 1, min(f.kept+1, linearVersions), in.Content}
		return s, linearOutput{Number: f.version}
	case "read":
		if f.kept == 0 {
			return s, linearOutput{None: true}
		}
		return s, linearOutput{Number: f.version, Content: f.content}
	case "delete":
		if in.If >= 0 && in.If != current {
			return s, linearOutput{Refused: true}
		}
		removed := f.kept
		*f = linearFile{version: f.version}
		return s, linearOutput{Number: removed}
	case "append":
		s.log += in.Content + "\n"
		s.last++
		return s, linearOutput{Number: s.last}
	case "trim":
		removed := max(0, in.Through-s.first)
		for range removed {
			_, s.log, _ = strings.Cut(s.log, "\n")
		}
		s.first += removed
		return s, linearOutput{Number: removed}
	case "read log":
		if s.first == s.last {
			return s, linearOutput{}
		}
		return s, linearOutput{Number: s.last, Content: s.log}
	default:
		var list strings.Builder
		for i, f := range s.files {
			if f.kept > 0 {
				fmt.Fprintf(&list, "%s %d %d\n", linearPaths[i], f.version, len(f.content))
			}
		}
		return s, linearOutput{Content: list.String()}
	}
}

// --- the clients

// A linearEvent is what a client tells: a call, or its answer, and when.
type linearEvent struct {
	Client int
	Time   int64
	In     *linearInput  `json:",omitempty"`
	Out    *linearOutput `json:",omitempty"`
}

// linearNow reads a clock that all processes share.
func linearNow() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

// runLinearClient makes calls one after the other. It reports each call before and
// after it.
func runLinearClient(ws *workspace.Workspace, client, ops int, say func(linearEvent)) {
	var known [len(linearPaths)]int64 // the version that the client saw last
	var entry int64                   // likewise
	for n := range ops {
		in := linearInput{Path: rand.IntN(len(linearPaths)), If: -1, Content: fmt.Sprintf("%d.%d%s", client, n, strings.Repeat("-", rand.IntN(9)))}
		switch d := rand.IntN(100); {
		case d < 30:
			in.Do, in.If = "write", known[in.Path]
		case d < 42:
			in.Do = "write"
		case d < 64:
			in.Do = "read"
		case d < 70:
			in.Do = "delete"
		case d < 74 && known[in.Path] > 0:
			in.Do, in.If = "delete", known[in.Path]
		case d < 86:
			in.Do = "append"
		case d < 88 && entry > 0:
			in.Do, in.Through = "trim", max(1, entry-int64(rand.IntN(4)))
		case d < 94:
			in.Do = "read log"
		default:
			in.Do = "list"
		}
		say(linearEvent{Client: client, Time: linearNow(), In: &in})
		out, err := in.call(ws)
		at := linearNow()
		switch {
		case errors.Is(err, workspace.ErrNotFound):
			out = linearOutput{None: true}
		case errors.Is(err, workspace.ErrConflict):
			out = linearOutput{Refused: true}
		case err != nil:
			out = linearOutput{Error: err.Error()}
		}
		say(linearEvent{Client: client, Time: at, Out: &out})
		switch {
		case in.Do == "write" && err == nil, in.Do == "read" && err == nil:
			known[in.Path] = out.Number
		case in.Do == "append" && err == nil, in.Do == "read log" && err == nil:
			entry = max(entry, out.Number)
		case in.Do == "delete" || out.None:
			known[in.Path] = 0
		case out.Refused: // look before trying again, as an agent does
			r, _ := ws.ReadFile(context.Background(), linearPaths[in.Path], workspace.ReadOptions{})
			known[in.Path] = r.Version
		}
	}
}

func (in linearInput) call(ws *workspace.Workspace) (out linearOutput, err error) {
	ctx, path := context.Background(), linearPaths[in.Path]
	var condition *int64
	if in.If >= 0 {
		condition = &in.If
	}
	switch in.Do {
	case "write":
		r, err := ws.WriteFile(ctx, path, []byte(in.Content), workspace.WriteOptions{IfVersion: condition})
		return linearOutput{Number: r.Version}, err
	case "read":
		r, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		return linearOutput{Number: r.Version, Content: string(r.Content)}, err
	case "delete":
		r, err := ws.DeleteFile(ctx, path, workspace.DeleteOptions{IfVersion: condition})
		return linearOutput{Number: r.Removed}, err
	case "append":
		r, err := ws.AppendLog(ctx, linearLog, []byte(in.Content))
		return linearOutput{Number: r.Last}, err
	case "trim":
		r, err := ws.TrimLog(ctx, linearLog, in.Through, workspace.DeleteOptions{})
		return linearOutput{Number: r.Removed}, err
	case "read log":
		r, err := ws.ReadLog(ctx, linearLog, workspace.ReadLogOptions{})
		out.Number = r.Last
		for _, e := range r.Entries {
			out.Content += string(e.Content) + "\n"
		}
		return out, err
	default:
		r, err := ws.ListFiles(ctx, workspace.ListOptions{})
		for _, f := range r.Files {
			out.Content += fmt.Sprintf("%s %d %d\n", f.Path, f.Version, f.Bytes)
		}
		return out, err
	}
}

// "linear DB FIRST LAST": the clients of these numbers, from the line that it hears.
var _ = register("linear", func(args []string) error {
	store, svc, err := openService(args[0], workspace.Limits{Versions: linearVersions})
	if err != nil {
		return err
	}
	ws, err := svc.Agent("linear")
	if err != nil {
		return err
	}
	var first, last int
	fmt.Sscan(args[1], &first)
	fmt.Sscan(args[2], &last)
	tell(`{"Client":-1}`)
	<-hear()
	var wg sync.WaitGroup
	for client := first; client <= last; client++ {
		wg.Go(func() {
			runLinearClient(ws, client, linearOps, func(e linearEvent) {
				b, err := json.Marshal(e)
				if err != nil {
					panic(err)
				}
				tell("%s", b)
			})
		})
	}
	wg.Wait()
	return store.Close()
})

// --- the histories

// linearHistory collects the events of the clients.
type linearHistory struct {
	mu   sync.Mutex // guards the following
	ops  []porcupine.Operation
	open map[int]int // by client: the index of its call without an answer
}

func (h *linearHistory) add(e linearEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		h.open = make(map[int]int)
	}
	if e.In != nil {
		h.open[e.Client] = len(h.ops)
		// Until there is an answer, the call may take effect at any later time, or never.
		h.ops = append(h.ops, porcupine.Operation{ClientId: e.Client, Input: *e.In, Call: e.Time, Output: (*linearOutput)(nil), Return: math.MaxInt64})
		return
	}
	op := &h.ops[h.open[e.Client]]
	op.Output, op.Return = e.Out, e.Time
}

// decide reports whether some order of the calls explains all answers.
func (h *linearHistory) decide(t *testing.T) porcupine.CheckResult {
	t.Helper()
	for _, failure := range h.failures() {
		t.Error(failure)
	}
	return porcupine.CheckOperationsTimeout(linearModel, h.ops, linearDecide)
}

// failures returns the errors, which no call should get.
func (h *linearHistory) failures() (all []string) {
	for _, op := range h.ops {
		if out := op.Output.(*linearOutput); out != nil && out.Error != "" {
			all = append(all, fmt.Sprintf("%+v: %s, expected no error", op.Input, out.Error))
		}
	}
	return all
}

// runLinear runs clients in several processes. One process is killed on the way, and
// another one starts in its place.
func runLinear(t *testing.T, path string) *linearHistory {
	h := &linearHistory{}
	var wg sync.WaitGroup
	next := 0
	start := func(clients int) *child {
		c := startChild(t, "linear", path, fmt.Sprint(next), fmt.Sprint(next+clients-1))
		next += clients
		c.next(t) // ready
		return c
	}
	// follow takes in what a process tells, and ends it after so many lines.
	follow := func(c *child, lines int) {
		n := 0
		for text := range c.lines {
			var e linearEvent
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Errorf("a client printed %q: %v", text, err)
				continue
			}
			h.add(e)
			if n++; n == lines {
				c.cmd.Process.Kill()
			}
		}
		c.reap()
	}
	var children []*child
	for p := range linearProcesses {
		children = append(children, start((linearClients+p)/linearProcesses))
	}
	victim := rand.IntN(linearProcesses)
	for p, c := range children {
		c.say(t, "go")
		if p != victim {
			wg.Go(func() { follow(c, 0) })
		}
	}
	follow(children[victim], 5+rand.IntN(60))
	after := start((linearClients + victim) / linearProcesses)
	after.say(t, "go")
	follow(after, 0)
	wg.Wait()
	return h
}

// One order of the calls of several processes explains all answers, and agrees with the
// times of calls and answers, also if a process is killed.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	total, unknown := 0, 0
	n := testkit.Pick(4, 10, 20)
	if *linearHistories > 0 {
		n = *linearHistories
	}
	for i := range n {
		h := runLinear(t, filepath.Join(dir, fmt.Sprintf("%d.db", i)))
		total += len(h.ops)
		for _, op := range h.ops {
			if op.Output.(*linearOutput) == nil {
				unknown++
			}
		}
		if got := h.decide(t); got != porcupine.Ok {
			for _, op := range h.ops {
				t.Logf("%d to %d, client %d: %s", op.Call, op.Return, op.ClientId, linearModel.DescribeOperation(op.Input, op.Output))
			}
			t.Fatalf("history %d of %d calls is %s, expected %s", i, len(h.ops), got, porcupine.Ok)
		}
	}
	t.Logf("%d calls, %d of them without an answer", total, unknown)
}

// --- planted bugs

// The check finds stores that are not linearizable.
func TestLinearizableCatches(t *testing.T) {
	t.Parallel()
	t.Run("nothing", func(t *testing.T) {
		if found := catches(t, func(s workspace.Store) workspace.Store { return s }, 3); found {
			t.Error("the store itself is not linearizable, expected it to be")
		}
	})
	for name, wrap := range map[string]func(workspace.Store) workspace.Store{
		"stale read": func(s workspace.Store) workspace.Store {
			return &staleStore{Store: s, old: make(map[string]workspace.Loaded)}
		},
		"lost update":    func(s workspace.Store) workspace.Store { return lostStore{s} },
		"reused version": func(s workspace.Store) workspace.Store { return reusingStore{s} },
	} {
		t.Run(name, func(t *testing.T) {
			if !catches(t, wrap, 100) {
				t.Error("100 histories are linearizable, expected one not to be")
			}
		})
	}
}

// catches runs clients in this process. It reports whether one of the histories is not
// linearizable, or has an error that the store itself never returns.
func catches(t *testing.T, wrap func(workspace.Store) workspace.Store, histories int) bool {
	store := open(t, filepath.Join(t.TempDir(), "linear.db"))
	for i := range histories {
		svc, err := workspace.New(wrap(store), workspace.Options{Limits: workspace.Limits{Versions: linearVersions}})
		if err != nil {
			t.Fatal(err)
		}
		ws, err := svc.Agent(fmt.Sprintf("linear-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		h := &linearHistory{}
		var wg sync.WaitGroup
		for client := range linearClients {
			wg.Go(func() { runLinearClient(ws, client, linearOps, h.add) })
		}
		wg.Wait()
		svc.Close(t.Context())
		if failures := h.failures(); len(failures) > 0 { // a lost update may drive a counter below zero
			t.Logf("history %d: %s", i, failures[0])
			return true
		}
		if h.decide(t) == porcupine.Illegal {
			t.Logf("history %d is not linearizable", i)
			return true
		}
	}
	return false
}

// staleStore answers every other read of a file with what the read before it saw.
type staleStore struct {
	workspace.Store
	mu  sync.Mutex // guards the following
	old map[string]workspace.Loaded
}

func (s *staleStore) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return s.Store.View(ctx, o, func(r workspace.Reader) error { return fn(staleReader{r, s}) })
}

type staleReader struct {
	workspace.Reader
	s *staleStore
}

func (r staleReader) Load(q workspace.Query) (workspace.Loaded, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if old, ok := r.s.old[q.File]; ok {
		delete(r.s.old, q.File)
		return old, nil
	}
	l, err := r.Reader.Load(q)
	r.s.old[q.File] = l
	return l, err
}

// lostStore reads the version outside of the transaction, so that the last one of two
// writers in a group wins.
type lostStore struct{ workspace.Store }

func (s lostStore) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx workspace.Tx) error { return fn(lostTx{tx, s.Store, o}) })
}

type lostTx struct {
	workspace.Tx
	store workspace.Store
	owner workspace.Owner
}

func (tx lostTx) Load(q workspace.Query) (workspace.Loaded, error) { return workspace.LoadFrom(tx, q) }

func (tx lostTx) File(path string) (head workspace.FileHead, state workspace.OwnerState, err error) {
	err = tx.store.View(context.Background(), tx.owner, func(r workspace.Reader) (err error) {
		head, _, err = r.File(path)
		return err
	})
	if err == nil {
		state, err = tx.Owner()
	}
	return head, state, err
}

func (tx lostTx) SaveFile(ch workspace.FileChange) error {
	real, _, err := tx.Tx.File(ch.Head.Path)
	if err != nil {
		return err
	}
	switch {
	case ch.New == nil:
		ch.Head.Version = max(ch.Head.Version, real.Version)
		ch.Prune = ch.Head.Version
	case real.Version >= ch.Head.Version:
		ch.Prune, ch.Head.Sizes = real.Version, []int64{ch.New.Size}
	}
	u := &ch.Owner
	u.Files, u.Bytes, u.DeletedFiles = max(0, u.Files), max(0, u.Bytes), max(0, u.DeletedFiles)
	return tx.Tx.SaveFile(ch)
}

// reusingStore forgets the number of a deleted path.
type reusingStore struct{ workspace.Store }

func (s reusingStore) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx workspace.Tx) error { return fn(reusingTx{tx}) })
}

type reusingTx struct{ workspace.Tx }

func (tx reusingTx) Load(q workspace.Query) (workspace.Loaded, error) {
	return workspace.LoadFrom(tx, q)
}

func (tx reusingTx) File(path string) (workspace.FileHead, workspace.OwnerState, error) {
	head, state, err := tx.Tx.File(path)
	if head.Deleted {
		head = workspace.FileHead{Path: path}
	}
	return head, state, err
}

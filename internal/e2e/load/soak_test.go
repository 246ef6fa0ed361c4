//go:build linux

package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// group is how many agents share a key.
const group = 10

// A soak is one run.
type soak struct {
	plan   plan
	db     string
	server *process.Server
	watch  string // the key for metrics
	warm   string // a key of a tenant of its own
	agents []*agent
	found  findings
}

// Nothing that was acknowledged is lost, and nothing is done twice, although clients hang
// up, and the server is stopped and killed. When all have left, a server holds what it
// held before they came.
func TestSoak(t *testing.T) {
	brief := plan{agents: 100, lasts: 4 * time.Second, pause: 300 * time.Millisecond, gap: 20 * time.Millisecond}
	full := plan{agents: 2000, lasts: 2 * time.Minute, pause: 20 * time.Second, gap: 150 * time.Millisecond}
	s := &soak{plan: testkit.Pick(brief, brief, full), db: filepath.Join(t.TempDir(), "soak.db")}
	_, s.watch = process.NewKey(t, scratchpadPath, s.db, "--tenant", "operator", "--scopes", "metrics")
	_, s.warm = process.NewKey(t, scratchpadPath, s.db, "--tenant", "operator", "--agents", "*", "--rate", "10000")
	s.server = process.Start(t, scratchpadPath, "--db", s.db, "--summarizer", "outline")
	s.makeAgents(t)
	before := s.rest(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var w sync.WaitGroup
	for _, a := range s.agents {
		w.Go(func() { a.work(ctx) })
	}
	s.work(t, 0.3)
	s.server.Stop()
	s.server.Start()
	s.work(t, 0.2)
	s.server.Kill()
	s.server.Start()
	s.work(t, 0.5)
	under, err := look(t.Context(), s.server, s.watch)
	t.Logf("under load: %+v, %v", under, err)
	end()
	w.Wait()
	s.checkRest(t, before)
	s.server.Stop()
	process.Run(t, scratchpadPath, "verify", "--db", s.db)
	s.checkStored(t)
	s.report(t)
}

// work lets the agents work for a part of the time, and until some calls are acknowledged.
func (s *soak) work(t *testing.T, part float64) {
	t.Helper()
	before := s.found.done.Load()
	time.Sleep(time.Duration(part * float64(s.plan.lasts)))
	for began := time.Now(); s.found.done.Load() < before+100; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("in a minute the server has not answered 100 calls")
		}
	}
}

// makeAgents makes the agents and their keys. Each group of agents has a tenant and a key.
func (s *soak) makeAgents(t *testing.T) {
	t.Helper()
	key, url := "", s.server.URL // which stays
	for i := range s.plan.agents {
		team := i / group
		a := &agent{tenant: fmt.Sprint("tenant-", team), name: fmt.Sprint("agent-", i), manner: manner(i) % manners,
			plan: s.plan, found: &s.found, files: map[string]file{}, rnd: rand.New(rand.NewPCG(7, uint64(i)))}
		if i%group == 0 {
			_, key = process.NewKey(t, scratchpadPath, s.db, "--tenant", a.tenant, "--agents", "*")
		}
		a.c = process.NewClient(func() string { return url }, key, i%2 == 0)
		s.agents = append(s.agents, a)
	}
}

// rest makes the server work a little, and returns what it holds then.
func (s *soak) rest(t *testing.T) footprint {
	t.Helper()
	var w sync.WaitGroup
	for i := range 64 {
		w.Go(func() {
			c := process.NewClient(func() string { return s.server.URL }, s.warm, i%2 == 0)
			defer c.HangUp()
			name := fmt.Sprintf(`"agent_id":"warm-%d"`, i%8)
			for _, call := range [][2]string{{"append_log", `,"path":"log","entry":"x"`}, {"list_files", ""}, {"read_log", `,"path":"log"`}, {"changes", ""}} {
				if _, err := c.Call(t.Context(), call[0], name+call[1], ""); err != nil {
					t.Error(err)
				}
			}
			if c.Session != "" {
				c.End(t.Context(), c.Session)
			}
		})
	}
	w.Wait()
	return s.settle(t, func(f footprint) bool { return f.connections <= 1 && f.sessions == 0 })
}

// settle waits until the server holds what it should, for a while at most. A session whose
// client left before its handshake was complete lasts two minutes.
func (s *soak) settle(t *testing.T, good func(footprint) bool) (f footprint) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 150*time.Second; time.Sleep(500 * time.Millisecond) { // a look takes some memory too
		var err error
		f, err = look(t.Context(), s.server, s.watch)
		must(t, err)
		if good(f) {
			break
		}
	}
	return f
}

// What a server may hold more when all have left: more connections of SQLite were in use at the
// same time, and the tables with which tokens are counted stay from their first use.
const (
	slackGoroutines  = 8
	slackDescriptors = 20
	slackMemory      = 32 << 10 // KiB
)

// checkRest lets all agents leave and checks what the server holds then.
func (s *soak) checkRest(t *testing.T, before footprint) {
	t.Helper()
	for _, a := range s.agents {
		a.leave(t.Context())
	}
	good := func(f footprint) bool {
		return f.goroutines <= before.goroutines+slackGoroutines && f.descriptors <= before.descriptors+slackDescriptors &&
			f.memory <= before.memory+slackMemory && f.sessions == 0 && f.connections <= 1
	}
	after := s.settle(t, good)
	t.Logf("before: %+v; when all have left: %+v", before, after)
	if !good(after) {
		t.Errorf("when all have left the server holds %+v; it began with %+v", after, before)
	}
}

// report says what happened, and fails if something was wrong.
func (s *soak) report(t *testing.T) {
	t.Helper()
	entries, versions, f := 0, int64(0), &s.found
	for _, a := range s.agents {
		entries += len(a.entries)
		for _, f := range a.files {
			versions += f.version
		}
	}
	t.Logf("%d agents: %d entries and %d versions of files acknowledged; %d calls given up in the middle, %d repeated for another reason", len(s.agents), entries, versions, f.hungUp, f.again)
	if entries == 0 || versions == 0 || f.hungUp == 0 {
		t.Error("too little has happened")
	}
	for _, wrong := range f.wrong {
		t.Error(wrong)
	}
}

// checkStored checks that the database holds what was acknowledged, and nothing else. The
// server has ended.
func (s *soak) checkStored(t *testing.T) {
	t.Helper()
	store, err := sqlite.OpenReadOnly(t.Context(), s.db, sqlite.Options{})
	must(t, err)
	defer store.Close()
	for _, a := range s.agents {
		if len(a.entries)+len(a.files) == 0 {
			continue
		}
		tenant, err := workspace.New(store, workspace.Options{Tenant: a.tenant})
		must(t, err)
		ws, err := tenant.Look(a.name)
		must(t, err)
		a.checkLog(t.Context(), ws)
		a.checkFiles(t.Context(), ws)
	}
}

func (a *agent) checkLog(ctx context.Context, ws *workspace.Workspace) {
	var stored []string
	for more := true; more; {
		page, err := ws.ReadLog(ctx, "log", workspace.ReadLogOptions{Since: int64(len(stored))})
		if err != nil && len(a.entries) > 0 {
			a.found.add("%s: read the log: %v", a.name, err)
		}
		for _, e := range page.Entries {
			stored = append(stored, string(e.Content))
		}
		more = page.More
	}
	if !slices.Equal(stored, a.entries) {
		a.found.add("%s: %d entries were acknowledged, and %d are stored: %.300q, want %.300q", a.name, len(a.entries), len(stored), stored, a.entries)
	}
}

func (a *agent) checkFiles(ctx context.Context, ws *workspace.Workspace) {
	list, err := ws.ListFiles(ctx, workspace.ListOptions{})
	if err != nil || len(list.Files) != len(a.files) {
		a.found.add("%s: %d files were acknowledged, %d are stored: %v", a.name, len(a.files), len(list.Files), err)
	}
	for path, want := range a.files {
		got, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		if err != nil || got.Version != want.version || string(got.Content) != want.content {
			a.found.add("%s: %s is version %d, %.100q, %v; want version %d, %.100q", a.name, path, got.Version, got.Content, err, want.version, want.content)
		}
	}
}

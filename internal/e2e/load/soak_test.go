//go:build linux

package load

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	tenants  = 4
	operator = "operator" // one more tenant
	group    = 10         // agents with a common beginning of their names
)

// A soak is one run.
type soak struct {
	plan   plan
	db     string
	server *server
	url    atomic.Pointer[string]
	watch  string // the key for metrics
	warm   string // a key of a tenant of its own

	agents, rude []*agent
	found        findings
	began        time.Time
}

// Nothing that was acknowledged is lost, and nothing is done twice, although clients hang
// up, and the server is stopped and killed. When all have left, the server holds what it
// held before.
func TestSoak(t *testing.T) {
	brief := plan{agents: 100, lasts: 6 * time.Second, pause: 300 * time.Millisecond, gap: 20 * time.Millisecond, patience: 700 * time.Millisecond, rest: 150 * time.Second, slack: vocabulary + 16<<10}
	full := plan{agents: 2000, lasts: 2 * time.Minute, pause: 20 * time.Second, gap: 150 * time.Millisecond, patience: 8 * time.Second, rest: 150 * time.Second, slack: vocabulary + 32<<10}
	s := &soak{plan: testkit.Pick(brief, brief, full), db: filepath.Join(t.TempDir(), "soak.db"), began: time.Now()}
	s.found.repeated, s.found.took = map[string]int{}, map[bool][]time.Duration{}
	s.makeAgents(t)
	s.start(t)
	s.prepare(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var w sync.WaitGroup
	s.began = time.Now()
	for _, a := range s.agents {
		w.Go(func() { a.work(ctx) })
	}
	for i, a := range s.rude {
		w.Go(func() { []func(context.Context){a.deaf, a.breakOff}[i%2](ctx) })
	}
	s.work(0.3)
	s.say(t, "before the stop")
	t.Logf("stopped in %v", s.server.stop(t).Round(time.Millisecond))
	s.start(t)
	s.work(0.2)
	s.server.kill(t)
	before := s.start(t)
	s.work(0.5)
	s.say(t, "under load")
	end()
	w.Wait()
	s.checkRest(t, before)
	s.server.stop(t)
	checkStored(t, s.db, s.agents)
	s.report(t)
}

// work lets the agents work for a part of the time.
func (s *soak) work(part float64) { time.Sleep(time.Duration(part * float64(s.plan.lasts))) }

// makeAgents makes the agents and their keys. One agent in ten has a key of its own. The
// others share one in groups.
func (s *soak) makeAgents(t *testing.T) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), s.db, sqlite.Options{})
	must(t, err)
	defer store.Close()
	keys := auth.NewKeys(store, auth.Options{})
	create := func(tenant string, scopes auth.Scopes, agents ...string) string {
		g := auth.Grant{Tenant: tenant, Scopes: scopes}
		if tenant == operator {
			g.Rate = auth.Rate{PerSecond: 10_000}
		}
		if len(agents) > 0 {
			g.Agents, err = auth.ParseAgents(agents...)
			must(t, err)
		}
		_, text, err := keys.Create(t.Context(), g)
		must(t, err)
		return text
	}
	both := auth.Read | auth.Write
	s.watch, s.warm = create(operator, auth.Metrics), create(operator, both, "*")
	shared := ""
	for i := range s.plan.agents {
		team := i / group
		a := s.newAgent(i, fmt.Sprintf("tenant-%d", team%tenants), fmt.Sprintf("team-%d-agent-%d", team, i%group))
		key := shared
		if i%group == 0 {
			shared = create(a.tenant, both, fmt.Sprintf("team-%d-*", team))
			key, a.bound = create(a.tenant, both, a.name), true
		}
		a.c = process.NewClient(s.address, key, (i+team)%2 == 0)
		a.manner = []manner{steady, steady, vanisher, vanisher, returner, steady, watcher, watcher, returner, steady}[i%group]
		s.agents = append(s.agents, a)
	}
	for i := range max(4, s.plan.agents/100) {
		a := s.newAgent(-1-i, "rude", fmt.Sprintf("rude-%d", i))
		a.c = process.NewClient(s.address, create(a.tenant, both, a.name, "another"), true)
		s.rude = append(s.rude, a)
	}
	must(t, keys.Close(t.Context()))
}

func (s *soak) newAgent(number int, tenant, name string) *agent {
	return &agent{tenant: tenant, name: name, plan: s.plan, found: &s.found, files: map[string]file{}, rnd: rand.New(rand.NewPCG(7, uint64(number)))}
}

// address returns the URL of the newest server.
func (s *soak) address() string { return *s.url.Load() }

// prepare writes what those ask for who do not read.
func (s *soak) prepare(t *testing.T) {
	t.Helper()
	for _, a := range s.rude {
		a.must("write_file", fmt.Sprintf(`"path":"long","content":%q`, strings.Repeat(a.text(), 150)), "")
	}
}

// start starts the server, makes it work a little, and lets the agents find it. It returns
// what the server holds then.
func (s *soak) start(t *testing.T) footprint {
	t.Helper()
	began := time.Now()
	next := startServer(t, s.db)
	took := time.Since(began)
	s.server = next
	var w sync.WaitGroup
	for i := range 64 {
		w.Go(func() {
			c := process.NewClient(func() string { return next.url }, s.warm, i%2 == 0)
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
	before := s.settle(t, func(f footprint) bool { return f.connections <= 1 && f.sessions == 0 })
	t.Logf("%.1fs: a server is ready after %v; with nobody there: %v", time.Since(s.began).Seconds(), took.Round(time.Millisecond), before)
	s.url.Store(&next.url)
	return before
}

// settle waits until the server holds what it should, for a while at most. A session whose
// client left before its handshake was complete lasts two minutes.
func (s *soak) settle(t *testing.T, good func(footprint) bool) (f footprint) {
	t.Helper()
	for began := time.Now(); time.Since(began) < s.plan.rest; time.Sleep(time.Second) { // a look takes some memory too
		var err error
		f, err = s.server.look(t.Context(), s.watch)
		must(t, err)
		if good(f) {
			break
		}
	}
	return f
}

func (s *soak) say(t *testing.T, when string) {
	t.Helper()
	f, err := s.server.look(t.Context(), s.watch)
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
	t.Logf("%.1fs: %s: %v", time.Since(s.began).Seconds(), when, f)
}

// Slack is what a server may hold more when all have left.
const (
	slackGoroutines  = 4
	slackDescriptors = 4

	vocabulary = 8 << 10 // KiB that the tables keep with which tokens are counted, from their first use
)

// checkRest lets all agents leave and checks what the server holds then.
func (s *soak) checkRest(t *testing.T, before footprint) {
	t.Helper()
	for _, a := range slices.Concat(s.agents, s.rude) {
		a.leave(t.Context())
	}
	after := s.settle(t, func(f footprint) bool {
		return f.goroutines <= before.goroutines+slackGoroutines && f.descriptors <= before.descriptors+slackDescriptors &&
			f.memory <= before.memory+s.plan.slack && f.sessions == 0 && f.connections <= 1
	})
	t.Logf("%.1fs: all have left: %v", time.Since(s.began).Seconds(), after)
	if after.sessions > 0 || after.connections > 1 {
		t.Errorf("%d sessions and %d connections are left, want none beside this one", after.sessions, after.connections)
	}
	if more := after.goroutines - before.goroutines; more > slackGoroutines {
		t.Errorf("the server has %d more goroutines than before", more)
	}
	if more := after.descriptors - before.descriptors; more > slackDescriptors {
		t.Errorf("the server has %d more descriptors than before", more)
	}
	if more := after.memory - before.memory; more > s.plan.slack {
		t.Errorf("the server holds %d KiB more than before", more)
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
	t.Logf("%d agents: %d calls acknowledged, among them %d entries and %d versions of files; %d calls given up in the middle", len(s.agents), len(f.took[false])+len(f.took[true]), entries, versions, f.hungUp)
	for write, name := range map[bool]string{false: "reads", true: "writes"} {
		if all := slices.Sorted(slices.Values(f.took[write])); len(all) > 0 {
			t.Logf("%s: p50 %v, p99 %v, longest %v", name, all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
		}
	}
	for _, why := range slices.Sorted(maps.Keys(f.repeated)) {
		t.Logf("%d calls again, because: %s", f.repeated[why], why)
	}
	if entries == 0 || versions == 0 || f.hungUp == 0 {
		t.Error("too little has happened")
	}
	for _, wrong := range f.wrong {
		t.Error(wrong)
	}
}

// checkStored checks that the database holds what was acknowledged, and nothing else. The
// server has ended.
func checkStored(t *testing.T, db string, agents []*agent) {
	t.Helper()
	if out, err := exec.Command(scratchpadPath, "verify", "--db", db).CombinedOutput(); err != nil {
		t.Errorf("scratchpad verify: %v\n%s", err, out)
	}
	store, err := sqlite.OpenReadOnly(t.Context(), db, sqlite.Options{})
	must(t, err)
	defer store.Close()
	tenants := map[string]*workspace.Service{}
	for _, a := range agents {
		if tenants[a.tenant] == nil {
			tenants[a.tenant], err = workspace.New(store, workspace.Options{Tenant: a.tenant})
			must(t, err)
		}
		if len(a.entries)+len(a.files) == 0 {
			continue
		}
		ws, err := tenants[a.tenant].Look(a.name)
		if err != nil {
			a.found.add("%s has %d entries and %d files that were acknowledged: %v", a.name, len(a.entries), len(a.files), err)
			continue
		}
		a.checkLog(t.Context(), ws)
		a.checkFiles(t.Context(), ws)
	}
}

func (a *agent) checkLog(ctx context.Context, ws *workspace.Workspace) {
	var stored []workspace.Entry
	for more := true; more; {
		o := workspace.ReadLogOptions{}
		if n := len(stored); n > 0 {
			o.Since = stored[n-1].ID
		}
		page, err := ws.ReadLog(ctx, "log", o)
		if err != nil {
			a.found.add("%s: read the log: %v", a.name, err)
			return
		}
		stored, more = append(stored, page.Entries...), page.More
	}
	if len(stored) != len(a.entries) {
		a.found.add("%s: %d entries were acknowledged, %d are stored", a.name, len(a.entries), len(stored))
	}
	for i := range min(len(stored), len(a.entries)) {
		if got := string(stored[i].Content); got != a.entries[i] {
			a.found.add("%s: entry %d is %.100q, want %.100q", a.name, i+1, got, a.entries[i])
			return
		}
	}
}

func (a *agent) checkFiles(ctx context.Context, ws *workspace.Workspace) {
	list, err := ws.ListFiles(ctx, workspace.ListOptions{})
	if err != nil || len(list.Files) != len(a.files) {
		a.found.add("%s: %d files were acknowledged, %d are stored: %v", a.name, len(a.files), len(list.Files), err)
	}
	for path, want := range a.files {
		got, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		if err != nil || got.Version != want.version || !bytes.Equal(got.Content, []byte(want.content)) {
			a.found.add("%s: %s is version %d, %.100q, %v; want version %d, %.100q", a.name, path, got.Version, got.Content, err, want.version, want.content)
		}
	}
}

//go:build linux

package powercut

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const dbName = "test.db"

// theEnd is where a cut comes if its event never does.
const theEnd = "the end"

// cuts is the number of cuts of TestAcknowledgedWriteSurvivesPowerCut.
func cuts() int {
	return testkit.Pick(60, 500, 5000)
}

// kinds are the situations in which the power is cut.
var kinds = []struct {
	name string
	run  func(*run)
}{
	{"creation", (*run).creation},
	{"commit", (*run).commit},
	{"checkpoint", (*run).checkpoint},
	{"close", (*run).close},
	{"repeat", (*run).repeat},
	{"beside", (*run).beside},
	{"recovery", (*run).recovery},
	{"backup", (*run).backup},
}

func TestAcknowledgedWriteSurvivesPowerCut(t *testing.T) {
	needFUSE(t)
	late := 0 // cuts after the work was done
	for n := range cuts() {
		t.Run(fmt.Sprint("cut-", n), func(t *testing.T) {
			c := cutNumber(t, n, kinds[n%len(kinds)].run, nil)
			for _, problem := range c.problems {
				t.Errorf("%s: %s", kinds[n%len(kinds)].name, problem)
			}
			if c.where == theEnd {
				late++
			}
		})
	}
	// A repeat always ends before the cut.
	if late > cuts()/len(kinds)+cuts()/4 {
		t.Errorf("%d of %d cuts came when the work was done", late, cuts())
	}
}

// The test finds a disk that answers a sync without doing it.
func TestFindsALostSync(t *testing.T) {
	needFUSE(t)
	syncs := 0
	everySecond := func(name string, _ *handle) bool {
		syncs++
		return name == dbName+"-wal" && syncs%2 == 0
	}
	mustFind(t, (*run).commit, everySecond)
}

// The test finds a process that does not sync what another process left in the log. Such
// a sync is the only one that goes through a handle that has written nothing.
func TestFindsAnUnconfirmedRepeat(t *testing.T) {
	needFUSE(t)
	others := func(name string, h *handle) bool { return name == dbName+"-wal" && !h.wrote }
	mustFind(t, (*run).repeat, others)
}

// After a failed sync of the database or of the log, everything is kept that was
// acknowledged before it, or by a process that started after it.
func TestFailedSync(t *testing.T) {
	needFUSE(t)
	for n := range cuts() / 5 {
		kind := (*run).failedFold
		if n%2 == 1 {
			kind = (*run).failedCommit
		}
		for _, problem := range cutNumber(t, n, kind, nil).problems {
			t.Errorf("%d: %s", n, problem)
		}
	}
}

// failedFold makes a checkpoint fail, and lets the next process go on.
func (c *run) failedFold() {
	c.size = 60_000
	c.on(func(d *disk, dir string) {
		c.work(d, c.job(dir, 1), math.MaxInt, anything)
		j := c.job(dir, 48)
		j.reads = true
		c.failSync(d, dbName, c.r.IntN(2))
		c.work(d, j, math.MaxInt, anything)
		d.fails = nil
		j = c.job(dir, 1)
		c.work(d, j, math.MaxInt, anything)
	})
}

// failedCommit makes a commit fail. The next process can read parts of that commit, but
// must not rely on them: the disk may have lost them.
func (c *run) failedCommit() {
	c.on(func(d *disk, dir string) {
		c.failSync(d, dbName+"-wal", 1+c.r.IntN(20))
		c.work(d, c.job(dir, 12), math.MaxInt, anything)
		d.fails = nil
		j := c.job(dir, 1)
		j.stay = true
		c.work(d, j, -1, anything)
	})
}

// failSync makes sync n of a file fail, counted from 0.
func (c *run) failSync(d *disk, name string, number int) {
	d.fails = func(synced string) bool {
		if synced == name {
			number--
		}
		return synced == name && number == -1
	}
}

// mustFind makes cuts on a disk with a fault until one of them shows the fault. About one
// in six does.
func mustFind(t *testing.T, kind func(*run), lies func(string, *handle) bool) {
	t.Helper()
	const most = 150
	for n := range most {
		if problems := cutNumber(t, n, kind, lies).problems; len(problems) > 0 {
			t.Logf("cut %d of a faulty disk: %s", n, problems[0])
			return
		}
	}
	t.Errorf("%d cuts of a faulty disk have shown nothing", most)
}

// A run is one cut.
type run struct {
	t    *testing.T
	r    *rand.Rand
	lies func(string, *handle) bool
	size int

	where    string // the last event, before which the disk stopped
	how      keeping
	image    map[string][]byte
	opened   bool
	acked    map[string]int
	backups  map[string]map[string]int
	problems []string
}

// cutNumber makes a cut, and looks for problems afterwards.
func cutNumber(t *testing.T, n int, kind func(*run), lies func(string, *handle) bool) *run {
	t.Helper()
	c := &run{t: t, r: rand.New(rand.NewPCG(uint64(n), 13)), lies: lies, size: 60, backups: map[string]map[string]int{},
		acked: map[string]int{"x": 0, "y": 0, "z": 0}}
	kind(c)
	t.Logf("before %s, keeping %v; acknowledged: %v", c.where, c.how, c.acked)
	c.check()
	return c
}

// on runs fn with a disk that holds the image, and cuts its power.
func (c *run) on(fn func(d *disk, dir string)) {
	d := newDisk(c.image)
	d.lies, d.mayReplace = c.lies, c.r.IntN(2) == 0
	dir, unmount := mount(c.t, d)
	fn(d, dir)
	d.freeze()
	unmount()
	c.how = keeping(c.r.IntN(int(ways)))
	c.image = d.cut(c.how, c.r)
}

func (c *run) job(dir string, each int) job {
	return job{path: filepath.Join(dir, dbName), size: c.size, sessions: 1, each: each, agents: maps.Clone(c.acked)}
}

// work runs a process until the disk stops at an event or the process is done, and kills
// it.
func (c *run) work(d *disk, j job, number int, counts func(event) bool) {
	c.where = theEnd
	stopped := make(chan struct{})
	d.stopAt(number, counts, func(e event) {
		c.where = fmt.Sprintf("%s %s", e.op, strings.TrimPrefix(e.name, dbName))
		close(stopped)
	})
	p := start(c.t, j)
	p.wait(c.t, stopped)
	if isClosed(stopped) || number < 0 {
		p.kill()
	} else { // it may still stop while the process closes the database
		select {
		case <-p.read:
		case <-stopped:
		}
		p.kill()
	}
	c.take(p)
}

// wholeRuns has the number of events in a whole run of a job, by the job's name.
var wholeRuns = map[string]int{}

// moment draws the number of an event in a run of the job. How many events a run has
// depends on how the database writes, so the first call for a name counts those of a whole
// run.
func (c *run) moment(name string, j job, counts func(event) bool) int {
	if wholeRuns[name] == 0 {
		d := newDisk(c.image)
		d.mayReplace = true
		dir, unmount := mount(c.t, d)
		j.path = filepath.Join(dir, dbName)
		if j.backup != "" {
			j.backup = filepath.Join(dir, filepath.Base(j.backup))
		}
		d.stopAt(math.MaxInt, func(e event) bool {
			if counts(e) {
				wholeRuns[name]++
			}
			return false
		}, nil)
		p := start(c.t, j)
		<-p.read
		p.kill()
		unmount()
	}
	return c.r.IntN(wholeRuns[name])
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// take notes what a process has acknowledged. The process has ended.
func (c *run) take(p *process) {
	c.opened = c.opened || p.opened
	for agent, n := range p.acked {
		c.acked[agent] = max(c.acked[agent], n)
	}
	maps.Copy(c.backups, p.backup)
	c.problems = append(c.problems, p.wrong...)
}

func anything(event) bool { return true }

func (c *run) creation() {
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 2)
		c.work(d, j, c.moment("creation", j, anything), anything)
	})
}

func (c *run) commit() {
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 8)
		j.sessions = 2
		c.work(d, j, c.moment("commit", j, anything), anything)
	})
}

// checkpoint writes so much that a checkpoint runs while others write.
func (c *run) checkpoint() {
	c.size = 60_000
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 36)
		j.reads = c.r.IntN(2) == 0
		name, counts := "checkpoint", anything
		if c.r.IntN(2) == 0 {
			name, counts = "checkpoint, database", func(e event) bool { return e.name == dbName }
		}
		c.work(d, j, c.moment(name, j, counts), counts)
	})
}

func (c *run) close() {
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 3)
		j.sessions = 3
		counts := func(e event) bool {
			return e.op == "unlink" || e.op == "truncate" || e.op == "syncdir" || e.name == dbName
		}
		c.work(d, j, c.moment("close", j, counts), counts)
	})
}

// repeat kills a process before a sync of the log, and lets the next one answer the same
// requests.
func (c *run) repeat() {
	c.on(func(d *disk, dir string) {
		c.work(d, c.job(dir, 12), c.r.IntN(12), func(e event) bool { return e.op == "sync" && e.name == dbName+"-wal" })
		d.thaw()
		j := c.job(dir, 1)
		j.stay = true
		c.work(d, j, -1, anything)
	})
}

// beside lets another process write for other agents meanwhile.
func (c *run) beside() {
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 100)
		j.agents = map[string]int{"n": 0, "m": 0}
		other := start(c.t, j)
		j = c.job(dir, 12)
		c.work(d, j, c.moment("beside", j, anything), anything)
		other.kill()
		c.take(other)
	})
}

// recovery cuts the power a second time, while the next process opens the database after
// the first cut.
func (c *run) recovery() {
	c.commit()
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 3)
		c.work(d, j, c.moment("recovery", j, anything), anything)
	})
}

func (c *run) backup() {
	c.on(func(d *disk, dir string) {
		j := c.job(dir, 4)
		j.backup = filepath.Join(dir, "backup-")
		counts := func(e event) bool { return e.op == "syncdir" || strings.HasPrefix(e.name, "backup-") }
		c.work(d, j, c.moment("backup", j, counts), counts)
	})
}

// check writes what the cut has left into an ordinary folder, and opens it.
func (c *run) check() {
	dir := c.t.TempDir()
	first := map[*byte]string{}
	for name, content := range c.image {
		path := filepath.Join(dir, name)
		if other, ok := first[identity(content)]; ok {
			testkit.Must(c.t, os.Link(other, path))
			continue
		}
		testkit.Must(c.t, os.WriteFile(path, content, 0o600))
		first[identity(content)] = path
	}
	if _, ok := c.image[dbName]; !ok && c.opened {
		c.problem("the database is missing, although it was open")
	}
	c.checkDatabase(filepath.Join(dir, dbName), c.acked, true)
	left, err := filepath.Glob(filepath.Join(dir, dbName+"-new-*"))
	if len(left) > 0 || err != nil {
		c.problem("%q is left of a creation, %v", left, err)
	}
	for name, acked := range c.backups {
		if _, ok := c.image[name]; !ok {
			c.problem("the backup %s is missing", name)
			continue
		}
		c.checkDatabase(filepath.Join(dir, name), acked, false)
	}
}

func (c *run) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// checkDatabase looks for the acknowledged operations of each agent, and repeats them.
func (c *run) checkDatabase(path string, acked map[string]int, maybeMore bool) {
	ctx := c.t.Context()
	s, err := sqlite.Open(ctx, path, sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		c.problem("%v", err)
		return
	}
	defer s.Close()
	report, err := s.Verify(ctx, sqlite.VerifyOptions{})
	if err != nil || len(report.Problems) > 0 {
		c.problem("verify: %v, %q", err, report.Problems)
	}
	svc, err := workspace.New(s, options)
	if err != nil {
		c.t.Fatal(err)
	}
	defer svc.Close(context.WithoutCancel(ctx))
	for _, agent := range slices.Sorted(maps.Keys(acked)) {
		ws, err := svc.Agent(agent)
		if err != nil {
			c.t.Fatal(err)
		}
		c.checkAgent(ctx, ws, acked[agent], maybeMore)
	}
}

// checkAgent expects n operations, and perhaps the one that was under way.
func (c *run) checkAgent(ctx context.Context, ws *workspace.Workspace, n int, maybeMore bool) {
	got, err := stored(ctx, ws)
	if err != nil {
		c.problem("%s: %v", ws.Agent(), err)
		return
	}
	if !maps.Equal(got, state(ws.Agent(), n, c.size)) && !(maybeMore && maps.Equal(got, state(ws.Agent(), n+1, c.size))) {
		c.problem("%s: not what %d acknowledged operations have stored: %s", ws.Agent(), n, outline(got))
		return
	}
	for i := max(0, n-3); i <= n; i++ {
		if said, err := do(ctx, ws, i, c.size); err != nil || said != result(i) {
			c.problem("%s: operation %d of %d acknowledged ones, repeated: %s, %v, want %s", ws.Agent(), i, n, said, err, result(i))
		}
	}
}

func outline(s map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s %.60q ", name, s[name])
	}
	return b.String()
}

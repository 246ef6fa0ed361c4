package browser

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/consoleserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// storyNow is when somebody looks at the memory of the story.
var storyNow = time.Date(2026, time.November, 20, 16, 42, 0, 0, time.UTC)

// A story is a memory that the documentation shows: an agent plans how a shop moves to new
// servers, and other agents and a person work on the same plan. Every run writes the same
// bytes at the same times.
type story struct {
	t       testing.TB
	now     time.Time
	svc     *workspace.Service
	planner *workspace.Workspace
}

// The clients of the story.
var (
	claude = workspace.Author{Client: "claude-code", Version: "2.1.4"}
	codex  = workspace.Author{Client: "codex", Version: "0.61.0"}
	cursor = workspace.Author{Client: "cursor", Version: "2.6.18"}
	person = workspace.Author{Client: "scratchpad", Version: "1.0.0"}
)

// tellStory stores the story, and returns a link to its console, as scratchpad console
// prints it.
func tellStory(t testing.TB) (link string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "story.db"), sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	s := &story{t: t}
	s.svc, err = workspace.New(store, workspace.Options{
		Limits: workspace.Limits{Bytes: 8_000_000}, // so that the bars show something
		Now:    func() time.Time { return s.now },
	})
	must(t, err)
	s.planner = s.agent("shop-move")
	s.others()
	s.begin()
	s.move()
	s.checks()
	s.mistake()
	s.now = storyNow
	return s.serve(store)
}

func (s *story) agent(name string) *workspace.Workspace {
	s.t.Helper()
	ws, err := s.svc.Agent(name)
	must(s.t, err)
	return ws
}

// at sets the time: days before the day of the story, and a time of that day.
func (s *story) at(days, hour, minute int) {
	s.now = time.Date(2026, time.November, 20-days, hour, minute, 0, 0, time.UTC)
}

func (s *story) write(ws *workspace.Workspace, by workspace.Author, path, text string) {
	s.t.Helper()
	_, err := ws.As(by).WriteFile(s.t.Context(), path, []byte(text), workspace.WriteOptions{})
	must(s.t, err)
}

func (s *story) edit(by workspace.Author, path, from, to string) {
	s.t.Helper()
	_, err := s.planner.As(by).EditFile(s.t.Context(), path, from, to, workspace.EditOptions{})
	must(s.t, err)
}

func (s *story) log(ws *workspace.Workspace, by workspace.Author, path string, entries ...string) {
	s.t.Helper()
	var all [][]byte
	for _, e := range entries {
		all = append(all, []byte(e))
	}
	_, err := ws.As(by).AppendLog(s.t.Context(), path, all...)
	must(s.t, err)
}

// others are the agents besides the planner.
func (s *story) others() {
	for i, a := range []struct {
		name         string
		files, logs  int
		bytes        int // of the files together
		days, hour   int // of the last change
		minute, each int
	}{
		{"billing", 34, 4, 2_900_000, 1, 18, 4, 40},
		{"docs-writer", 58, 2, 1_450_000, 2, 11, 31, 12},
		{"hiring-notes", 9, 1, 84_000, 16, 9, 2, 8},
		{"legal-review", 27, 1, 930_000, 5, 13, 40, 20},
		{"onboarding", 6, 2, 52_000, 9, 16, 21, 10},
		{"incident-review", 21, 6, 610_000, 3, 15, 47, 60},
		{"mobile-app", 47, 5, 5_300_000, 0, 14, 20, 30},
		{"price-watch", 14, 12, 7_050_000, 0, 16, 40, 200},
		{"release-notes", 16, 3, 240_000, 4, 17, 55, 25},
		{"support-desk", 12, 9, 3_800_000, 0, 16, 12, 120},
		{"web-search", 88, 2, 1_020_000, 7, 10, 8, 15},
	} {
		s.at(a.days, a.hour, a.minute)
		ws := s.agent(a.name)
		by := []workspace.Author{claude, codex, cursor}[i%3]
		line := "Notes of " + a.name + ", as long as such notes are after some weeks.\n"
		for f := range a.files {
			s.write(ws, by, fmt.Sprintf("notes/%02d.md", f+1), strings.Repeat(line, a.bytes/a.files/len(line)))
		}
		for l := range a.logs {
			s.log(ws, by, fmt.Sprintf("log-%d", l+1), strings.Split(strings.Repeat("one more step is done;", a.each), ";")[:a.each]...)
		}
	}
}

const plan = `# Move the shop to the new servers

Owner: Grace. The shop stays open all the time.

## Before the night

- [x] Copy the invoices table, and compare every row
- [x] Measure the nightly export on the new disks
- [ ] Open the login page for 500 users at once
- [ ] Tell support which pages may be slow

## The night of the move

1. Stop the nightly export at 22:00.
2. Let the old database answer reads only.
3. Copy what is new since the last copy.
4. Send one request in ten to the new servers.
5. Watch the checks for 30 minutes, then send all.

## After it

- Keep the old servers until 15 January.
- Ask Grace before anything is deleted.
- Pay the old provider until the end of January.
`

// begin is the first day of the planner.
func (s *story) begin() {
	s.at(4, 9, 12)
	s.write(s.planner, claude, "plan.md", strings.Replace(plan, "- [x]", "- [ ]", 2))
	s.at(4, 9, 30)
	s.write(s.planner, claude, "people.md", "# Who knows what\n\n- Grace: the servers, the contract\n- Ada: invoices, prices\n- Edsger: the search index\n- Barbara: support\n")
	s.at(4, 9, 41)
	s.write(s.planner, claude, "hosts/web-07.md", "# web-07\n\nNew disk since Monday. Same fans as web-03, which failed in June.\n")
	s.write(s.planner, claude, "hosts/db-02.md", "# db-02\n\nPostgreSQL 16, 128 GB of memory, two disks.\n")
	s.at(4, 10, 5)
	s.write(s.planner, claude, "notes/invoices.md", "# Invoices\n\n"+strings.Repeat("A row of the table, and what Ada said about it.\n", 180))
	s.at(4, 10, 20)
	s.log(s.planner, claude, "decisions", "The shop stays open: no night without orders.", "PostgreSQL 16 and not 17: the provider has no 17 yet.")
	s.at(4, 15, 2)
	s.edit(claude, "plan.md", "- [ ] Copy the invoices table, and compare every row", "- [x] Copy the invoices table, and compare every row")
}

// move is the work of the days after it, by several clients.
func (s *story) move() {
	s.at(3, 8, 50)
	s.write(s.planner, cursor, "runbook/cutover.md", "# Cutover\n\n"+strings.Repeat("A step, who does it, and how one sees that it is done.\n", 60))
	s.at(3, 9, 15)
	s.write(s.planner, cursor, "runbook/rollback.md", "# Back to the old servers\n\n"+strings.Repeat("A step back, and how long it takes.\n", 40))
	s.at(2, 11, 26)
	s.edit(claude, "plan.md", "- [ ] Measure the nightly export", "- [x] Measure the nightly export")
	s.at(2, 11, 30)
	s.log(s.planner, claude, "decisions", "The export takes 41 minutes on the new disks, so it starts at 21:00 from now on.")
	s.at(1, 14, 9)
	s.write(s.planner, person, "people.md", "# Who knows what\n\n- Grace: the servers, the contract\n- Ada: invoices, prices\n- Edsger: the search index, on holiday until Monday\n- Barbara: support\n")
}

// checks are what a program finds out about the servers, day and night.
func (s *story) checks() {
	var night []string
	for i := range 52 {
		night = append(night, fmt.Sprintf("web-%02d: %d requests, none failed", i%12+1, 4000+i*37))
	}
	for i := range 4 {
		s.at(1, 18, 4+i)
		s.now = s.now.Add(time.Duration(i) * 3 * time.Hour)
		s.log(s.planner, codex, "checks", night[i*13:(i+1)*13]...)
	}
	s.at(0, 8, 31)
	s.log(s.planner, codex, "checks", "web-05: 5924 requests, none failed", "web-06: 2 of 5961 requests failed, both while the export ran")
	s.at(0, 9, 14)
	s.write(s.planner, claude, "ideas.md", "# Later\n\nTwo servers less would do in summer. Ask Grace in May.\n")
	s.at(0, 9, 40)
	s.log(s.planner, codex, "checks", "web-07: 5998 requests, 4 failed, disk is slow")
	s.at(0, 11, 2)
	s.log(s.planner, claude, "checks", "web-07 has a new disk. Its requests are watched until tonight.")
	s.at(0, 12, 26)
	s.log(s.planner, codex, "checks", "web-07: 9 of 6146 requests failed\n  7 of them: disk is slow, 2,310 ms\n  2 of them: the connection was reset")
	s.at(0, 13, 5)
	_, err := s.planner.As(cursor).MoveFile(s.t.Context(), "ideas.md", "notes/later.md", workspace.MoveOptions{})
	must(s.t, err)
	s.at(0, 13, 48)
	s.edit(claude, "hosts/web-07.md", "which failed in June.", "which failed in June.\nThe fans run at full speed since Friday.")
	s.at(0, 14, 50)
	s.log(s.planner, claude, "checks", "web-07: none failed since the fans run at full speed, see hosts/web-07.md")
	s.at(0, 15, 57)
	s.log(s.planner, codex, "checks", "web-08: 6183 requests, none failed")
}

// mistake is what one client gets wrong on the day of the story.
func (s *story) mistake() {
	s.at(0, 16, 18)
	s.write(s.planner, codex, "plan.md", strings.NewReplacer(
		"- [ ] Open the login page for 500 users at once", "- [x] Open the login page for 500 users at once",
		"2. Let the old database answer reads only.", "2. Stop the old database.",
		"Watch the checks for 30 minutes", "Watch the checks for 5 minutes",
		"- Keep the old servers until 15 January.\n- Ask Grace before anything is deleted.\n", "- Delete the old servers on 1 December.\n",
		"until the end of January.\n", "until the end of November.\n- Write to the customers when all is done.\n",
	).Replace(plan))
	s.at(0, 16, 31)
	s.log(s.planner, codex, "decisions", "The plan is shorter now. The old servers go on 1 December.")
}

// serve serves the console of the story until the test ends.
func (s *story) serve(store workspace.Store) (link string) {
	s.t.Helper()
	keys := auth.NewKeys(store, auth.Options{})
	pages, err := consoleserver.NewLocal(consoleserver.LocalOptions{
		Version: "1.0.0", Command: "scratchpad console", Service: s.svc, Tenant: "local", Keys: keys,
		Health: func(context.Context) (console.Health, error) { return console.Health{}, nil },
	})
	must(s.t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(s.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := pages.Serve(ctx, listener)
		ended <- err
	}()
	s.t.Cleanup(func() {
		stop()
		must(s.t, <-ended)
		must(s.t, keys.Close(context.Background()))
	})
	return pages.URL(listener.Addr(), "/")
}

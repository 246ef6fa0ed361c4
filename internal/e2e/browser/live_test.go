package browser

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

// live is how long a change at one server may take until it is on screen at another.
const live = time.Second

// Two people look at two servers over one database. What an agent, or one of them, changes
// at a server is on the other's screen within a second, also after the server of those who
// watch was away.
func TestLive(t *testing.T) {
	for _, store := range []struct {
		name string
		db   func(*testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "team.db") }},
		{"PostgreSQL", func(t *testing.T) string { return pgtest.URL(t) }},
	} {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			servers := startServers(t, 2, store.db(t))
			checkLive(t, servers[0], servers[1])
		})
	}
}

// A sight is a page that is open, with what was on screen in time.
type sight struct {
	*tab
	longest time.Duration
}

// soon waits for a text that must be on screen in time after a change that began at a time.
func (p *sight) soon(began time.Time, text string) {
	p.t.Helper()
	p.see(text)
	took := time.Since(began)
	p.longest = max(p.longest, took)
	if took > live {
		p.t.Errorf("at %s %q was on screen %v after the change, want at most %v", p.where(), text, took, live)
	}
}

func checkLive(t *testing.T, near, far *server) {
	const agent = "watched"
	key := near.newKey("read,write,admin", "--name", "Ada")
	near.write("claude-code", agent, "plan.txt", "the plan\n")
	for i := range 3 {
		near.append("nightly", agent, "runs", entry(i+1))
	}
	ada := signIn(t, near.origin, key, view{})
	key = near.newKey("read,write", "--name", "Bob")
	var watched []*sight
	for _, path := range []string{"/", "/a/" + agent, "/a/" + agent + "/changes", "/a/" + agent + "/files/plan.txt", "/a/" + agent + "/logs/runs"} {
		p := signIn(t, far.origin, key, view{width: 360, dark: true}) // a browser has few connections without TLS
		p.visit(path)
		p.see("Live")
		watched = append(watched, &sight{tab: p})
	}
	agents, memory, journal, file, log := watched[0], watched[1], watched[2], watched[3], watched[4]

	began := time.Now()
	near.write("claude-code", "newcomer", "a.txt", "x")
	agents.soon(began, "newcomer")

	ada.visit("/a/" + agent + "/files/plan.txt?view=edit")
	ada.fill("textbox", "Text", "the plan of Ada\n")
	began = time.Now()
	ada.click("button", "Save")
	file.soon(began, "the plan of Ada")
	memory.see("v1 → v2")
	journal.see("v1 → v2")
	ada.see("Version 2")

	began = time.Now()
	near.append("nightly", agent, "runs", entry(4))
	log.soon(began, entry(4))
	memory.soon(began, "entry 4")
	log.checkEntries(4)

	checkAway(t, near, far, watched)
	for _, p := range watched {
		t.Logf("%s: on screen after %v at most", p.where(), p.longest.Round(time.Millisecond))
	}
}

// checkAway stops the server of those who watch, changes things at the other, and starts it
// again.
func checkAway(t *testing.T, near, far *server, watched []*sight) {
	const agent = "watched"
	file, log := watched[3], watched[4]
	for _, p := range watched {
		p.expect("failed: net::ERR_")
	}
	far.process.Stop()
	for _, p := range watched {
		p.see("Connection lost. Trying again.")
	}
	if p := watched[1]; p != nil {
		p.shot("connection-lost")
	}
	for i := 5; i <= 30; i++ {
		near.append("nightly", agent, "runs", entry(i))
	}
	near.write("claude-code", agent, "plan.txt", "the plan after the break\n")
	far.process.Start()
	for _, p := range watched {
		p.gone("Connection lost. Trying again.")
	}
	file.see("the plan after the break")
	log.see(entry(30))
	log.checkEntries(30)
	began := time.Now()
	near.append("nightly", agent, "runs", entry(31))
	log.soon(began, entry(31))
	began = time.Now()
	near.write("claude-code", agent, "plan.txt", "the plan in the end\n")
	file.soon(began, "the plan in the end")

	// Many at once, and at both servers.
	near.together(60, func(i int) error {
		return []*server{near, far}[i%2].try("nightly", "append_log", object{"agent_id": agent, "path": "runs", "entry": entry(32 + i)})
	})
	log.see("#91")
	log.checkEntries(91)
}

func entry(i int) string { return fmt.Sprintf("run %d is done.", i) }

// checkEntries checks that the entries 1 to n are on screen, each once, the newest first.
func (p *sight) checkEntries(n int) {
	p.t.Helper()
	var want, got []string
	for i := n; i > 0; i-- {
		want = append(want, fmt.Sprintf("#%d", i))
	}
	if !p.wait(patience, func() bool {
		got = got[:0]
		for _, word := range strings.Fields(p.text()) {
			if strings.HasPrefix(word, "#") {
				got = append(got, word)
			}
		}
		return slices.Equal(got, want)
	}) {
		p.t.Errorf("the log shows %v, want %d to 1", got, n)
	}
}

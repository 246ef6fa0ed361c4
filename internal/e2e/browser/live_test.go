package browser

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Two people look at two servers over one database. What an agent, or one of them, changes
// at a server is soon on the other's screen, also after the server of those who watch was
// away.
func TestLive(t *testing.T) {
	t.Parallel()
	servers := startServers(t, 2, filepath.Join(t.TempDir(), "team.db"))
	near, far := servers[0], servers[1]
	const agent = "watched"
	key := near.newKey("read,write,admin", "--name", "Ada")
	near.write("claude-code", agent, "plan.txt", "the plan\n")
	for i := range 3 {
		near.append("nightly", agent, "runs", entry(i+1))
	}
	ada := signIn(t, near.origin, key, view{})
	key = near.newKey("read,write", "--name", "Bob")
	var watched []*tab
	for _, path := range []string{"/", "/a/" + agent, "/a/" + agent + "/changes", "/a/" + agent + "/files/plan.txt", "/a/" + agent + "/logs/runs"} {
		p := signIn(t, far.origin, key, view{width: 360, dark: true}) // a browser has few connections without TLS
		p.visit(path)
		p.see("Live")
		watched = append(watched, p)
	}
	agents, memory, journal, file, log := watched[0], watched[1], watched[2], watched[3], watched[4]

	near.write("claude-code", "newcomer", "a.txt", "x")
	agents.see("newcomer")
	ada.visit("/a/" + agent + "/files/plan.txt?view=edit")
	ada.fill("textbox", "Text", "the plan of Ada\n")
	ada.click("button", "Save")
	file.see("the plan of Ada")
	memory.see("v1 → v2")
	journal.see("v1 → v2")
	ada.see("Version 2")
	last := 4
	near.append("nightly", agent, "runs", entry(last))
	log.see(entry(last))
	memory.see(fmt.Sprintf("entry %d", last))
	log.checkEntries(last)

	checkAway(near, far, watched, last)
}

// met waits until a problem with a text has happened.
func (p *tab) met(text string) {
	p.t.Helper()
	if !p.wait(patience, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.ContainsFunc(p.problems, func(problem string) bool { return strings.Contains(problem, text) })
	}) {
		p.t.Errorf("at %s there is no problem %q", p.where(), text)
	}
}

// checkAway stops the server of those who watch, changes things at the other, and starts it
// again. The log has some entries.
func checkAway(near, far *server, watched []*tab, last int) {
	const agent = "watched"
	file, log := watched[3], watched[4]
	for _, p := range watched {
		p.expect("failed: net::ERR_")
		p.allow("status: 503 of " + far.origin) // of a server that is stopping
	}
	far.process.Stop()
	for _, p := range watched {
		p.see("Connection lost. Trying again.")
		p.met("failed: net::ERR_CONNECTION_REFUSED")
	}
	watched[1].shot("connection-lost")
	for range 25 {
		last++
		near.append("nightly", agent, "runs", entry(last))
	}
	near.write("claude-code", agent, "plan.txt", "the plan after the break\n")
	far.process.Start()
	for _, p := range watched {
		p.gone("Connection lost. Trying again.")
	}
	file.see("the plan after the break")
	log.checkEntries(last)
	last++
	near.append("nightly", agent, "runs", entry(last))
	log.see(entry(last))
	near.write("claude-code", agent, "plan.txt", "the plan in the end\n")
	file.see("the plan in the end")

	// Many at once, and at both servers.
	near.together(60, func(i int) error {
		return []*server{near, far}[i%2].try("nightly", "append_log", object{"agent_id": agent, "path": "runs", "entry": entry(last + i + 1)})
	})
	log.checkEntries(last + 60)
}

func entry(i int) string { return fmt.Sprintf("run %d is done.", i) }

// checkEntries checks that the entries 1 to n are on screen, each once, the newest first.
func (p *tab) checkEntries(n int) {
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

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const scrubKillFiles = 12

func scrubKillContent(id int) []byte { return canary(id, 100+id*7919%30_000) }

// This process writes and redacts until it is killed. It prints what was answered, with
// the canary's number.
var _ = register("scrub-kill", func(args []string) error {
	path, first, agent := args[0], args[1], args[2]
	_, ws, err := openAgent(path, "agent-"+agent, workspace.Limits{})
	if err != nil {
		return err
	}
	process, _ := strconv.Atoi(agent)
	id, _ := strconv.Atoi(first)
	ctx := context.Background()
	for id += (process + 1) * 1_000_000; ; id++ {
		file := fmt.Sprint("file-", rand.IntN(scrubKillFiles))
		r, err := ws.WriteFile(ctx, file, scrubKillContent(id), workspace.WriteOptions{})
		if err != nil {
			return err
		}
		tell("wrote %s %d %d", file, r.Version, id)
		if r.Version > 1 && rand.IntN(4) == 0 {
			_, err := ws.RedactVersion(ctx, file, r.Version-1, workspace.RedactOptions{})
			if err != nil && !errors.Is(err, store.ErrConflict) {
				return err
			}
			tell("redacted %s %d 0", file, r.Version-1)
		}
		if rand.IntN(10) == 0 {
			_, err := ws.WriteFile(ctx, "large", canary(id, 300_000), workspace.WriteOptions{})
			if err == nil {
				_, err = ws.DeleteFile(ctx, "large", workspace.DeleteOptions{})
			}
			if err != nil {
				return err
			}
		}
	}
})

// scrubKill knows what was answered: the canary of each version, by agent, file and
// version; 0: it is redacted.
type scrubKill struct {
	t        *testing.T
	path     string
	versions map[string]map[int64]int
	gone     map[int]bool
	pending  int // kills that left something to scrub
}

func (k *scrubKill) heard(agent int, line string) {
	var what, file string
	var version int64
	var id int
	if _, err := fmt.Sscan(line, &what, &file, &version, &id); err != nil {
		k.t.Fatalf("a process printed %q", line)
	}
	name := fmt.Sprintf("agent-%d %s", agent, file)
	if k.versions[name] == nil {
		k.versions[name] = make(map[int64]int)
	}
	if what == "redacted" {
		if was := k.versions[name][version]; was > 0 {
			k.gone[was] = true
		}
	}
	k.versions[name][version] = id
}

// round runs two processes, kills them at some moment, and then looks.
func (k *scrubKill) round(n int) {
	var c [2]*child
	for agent := range c {
		c[agent] = startChild(k.t, "scrub-kill", k.path, fmt.Sprint(n*1000), fmt.Sprint(agent))
	}
	k.heard(0, c[0].next(k.t)) // both have opened it
	k.heard(1, c[1].next(k.t))
	after := time.After(time.Duration(100+rand.IntN(400)) * time.Millisecond)
	for killed := false; !killed; {
		select {
		case line := <-c[0].lines:
			k.heard(0, line)
		case line := <-c[1].lines:
			k.heard(1, line)
		case <-after:
			killed = true
		}
	}
	for agent := range c {
		c[agent].cmd.Process.Kill()
		for line := range c[agent].lines {
			k.heard(agent, line)
		}
		c[agent].reap()
	}
	look, err := sqlite.OpenReadOnly(k.t.Context(), k.path, quiet) // which scrubs nothing
	testkit.Must(k.t, err)
	if _, err := look.System(k.t.Context()).Get("sqlite/scrub"); err == nil {
		k.pending++
	}
	testkit.Must(k.t, look.Close())
	s := open(k.t, k.path)
	defer s.Close()
	if n%2 == 0 {
		waitScrubbed(k.t, s)
	}
	report, err := s.Verify(k.t.Context(), sqlite.VerifyOptions{})
	if err != nil || len(report.Problems) > 0 {
		k.t.Fatalf("round %d: Verify() = %q, %v", n, report.Problems, err)
	}
	k.check(s)
}

// check reads all versions that were answered and are retained.
func (k *scrubKill) check(s *sqlite.Store) {
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(k.t, err)
	for name, versions := range k.versions {
		var agent, file string
		fmt.Sscan(name, &agent, &file)
		ws, err := svc.Agent(agent)
		testkit.Must(k.t, err)
		newest := int64(0)
		for version := range versions {
			newest = max(newest, version)
		}
		for version, id := range versions {
			r, err := ws.ReadFile(k.t.Context(), file, workspace.ReadOptions{Version: version})
			redacted := errors.Is(err, store.ErrNotFound) && strings.Contains(err.Error(), "redacted")
			switch {
			case redacted && version < newest: // perhaps killed before it had answered
				if id > 0 {
					k.gone[id] = true
				}
				versions[version] = 0
			case !redacted && errors.Is(err, store.ErrNotFound) && version < newest-5: // not retained
				delete(versions, version)
			case err != nil || id == 0 || !bytes.Equal(r.Content, scrubKillContent(id)):
				k.t.Errorf("%s, version %d: %d bytes, %v, want the content %d", name, version, len(r.Content), err, id)
			}
		}
	}
}

// Two processes write and redact, and are killed at any moment, mostly during a pass over
// the pages. Then the database is whole, all that was answered is there, and what was
// redacted goes.
//
// go test ./sqlite -run TestScrubKilled with SCRATCHPAD_TEST=full takes some minutes.
func TestScrubKilled(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	k := &scrubKill{t: t, path: filepath.Join(t.TempDir(), "test.db"), versions: make(map[string]map[int64]int), gone: make(map[int]bool)}
	testkit.Must(t, open(t, k.path).Close())
	for n := range testkit.Pick(2, 8, 200) {
		k.round(n)
	}
	s := open(t, k.path)
	waitScrubbed(t, s)
	checkGone(t, s, k.path, k.gone)
	t.Logf("%d contents were redacted, and %d kills left some to scrub", len(k.gone), k.pending)
	if testkit.Long() && k.pending == 0 {
		t.Error("no kill came before the end of a pass: nothing is tested")
	}
}

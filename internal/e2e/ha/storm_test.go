package ha

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Writers and agents of a storm. Two writers share an agent.
const (
	writers = 8
	agents  = writers / 2
)

// A storm is writers that call many servers, and the journal of what was acknowledged.
type storm struct {
	t       testing.TB
	db      string
	urls    []string
	c       *client
	tries   tries
	done    atomic.Int64 // calls that were acknowledged
	writers [writers]writer
	stop    context.CancelFunc
	running sync.WaitGroup
}

// A writer appends to the log of its agent and writes a file of its own, in turn.
type writer struct {
	entries map[string]int64 // the numbers of entries, by text
	tried   int              // entries
	version int64            // of the file that was acknowledged last
	content string           // of the file

	mu    sync.Mutex // guards first
	since time.Time
	first time.Time // when a call was first acknowledged that began after since
}

func startStorm(t testing.TB, db string, servers []*server) *storm {
	s := &storm{t: t, db: db, c: newClient("")}
	for _, r := range servers {
		s.urls = append(s.urls, r.URL)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	for i := range s.writers {
		s.writers[i].entries = map[string]int64{}
		s.running.Go(func() { s.write(ctx, i) })
	}
	t.Cleanup(func() { stop(); s.running.Wait() })
	return s
}

// write calls until the context ends. A call that has begun is brought to its end.
func (s *storm) write(ctx context.Context, i int) {
	w := &s.writers[i]
	for n := 0; ctx.Err() == nil; n++ {
		began := time.Now()
		var err error
		if n%2 == 0 {
			err = s.append(w, i, n)
		} else {
			err = s.save(w, i, n)
		}
		if err != nil {
			s.t.Errorf("writer %d: %v", i, err)
			return
		}
		s.done.Add(1)
		w.mu.Lock()
		if w.first.IsZero() && began.After(w.since) {
			w.first = time.Now()
		}
		w.mu.Unlock()
	}
}

func (s *storm) append(w *writer, i, n int) error {
	w.tried++
	text := fmt.Sprintf("entry %d of writer %d", n, i)
	var r struct {
		ID int64 `json:"entry_id"`
	}
	err := s.call(&r, i+n, "append_log", fmt.Sprintf(`"agent_id":"agent-%d","path":"log","entry":%q`, i%agents, text), fmt.Sprintf("w%d-%d", i, n))
	w.entries[text] = r.ID
	return err
}

func (s *storm) save(w *writer, i, n int) error {
	content := fmt.Sprintf("content %d of writer %d", n, i)
	var r struct{ Version int64 }
	err := s.call(&r, i+n, "write_file", fmt.Sprintf(`"agent_id":"agent-%d","path":"file-%d","content":%q`, i%agents, i, content), fmt.Sprintf("w%d-%d", i, n))
	if err == nil && r.Version != w.version+1 {
		return fmt.Errorf("file-%d is acknowledged as version %d, want %d", i, r.Version, w.version+1)
	}
	w.version, w.content = r.Version, content
	return err
}

func (s *storm) call(r any, first int, tool, args, once string) error {
	answer, err := s.c.keepCalling(context.WithoutCancel(s.t.Context()), s.urls, first, &s.tries, tool, args, once)
	if err != nil {
		return err
	}
	return json.NewDecoder(strings.NewReader(answer)).Decode(r)
}

// wait waits until n more calls were acknowledged.
func (s *storm) wait(n int64) {
	s.t.Helper()
	n += s.done.Load()
	waitFor(s.t, "writes", func() bool { return s.done.Load() >= n })
}

// mark forgets when writers were served. recovered returns how long after mark the last of
// them had a call acknowledged that began after it.
func (s *storm) mark() (recovered func() time.Duration) {
	now := time.Now()
	for i := range s.writers {
		w := &s.writers[i]
		w.mu.Lock()
		w.since, w.first = now, time.Time{}
		w.mu.Unlock()
	}
	return func() (last time.Duration) {
		s.t.Helper()
		for i := range s.writers {
			w := &s.writers[i]
			waitFor(s.t, "every writer to be served again", func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				if !w.first.IsZero() {
					last = max(last, w.first.Sub(now))
				}
				return !w.first.IsZero()
			})
		}
		return last
	}
}

// check ends the storm, and compares the database with the journal: what was acknowledged
// is there, with the number that was acknowledged, and nothing is there twice.
func (s *storm) check() {
	s.t.Helper()
	s.stop()
	s.running.Wait()
	s.tries.check(s.t)
	acknowledged, files := 0, int64(0)
	for a := range agents {
		stored := s.entries(a)
		for i := a; i < writers; i += agents {
			w := &s.writers[i]
			for text, id := range w.entries {
				acknowledged++
				if got := stored[text]; len(got) != 1 || got[0] != id {
					s.t.Errorf("%q was acknowledged as number %d; it is stored as %v", text, id, got)
				}
			}
			files += w.version
			got := command(s.t, s.db, "files", "cat", fmt.Sprintf("file-%d", i), "--agent", fmt.Sprintf("agent-%d", a))
			if got != w.content {
				s.t.Errorf("file-%d is %q, acknowledged was %q as version %d", i, got, w.content, w.version)
			}
		}
	}
	s.t.Logf("%d entries and %d versions acknowledged, none lost, none twice", acknowledged, files)
	if out := command(s.t, s.db, "verify"); !strings.Contains(out, "ok") {
		s.t.Errorf("scratchpad verify: %s", out)
	}
}

// entries returns the numbers of the entries of an agent's log, by text.
func (s *storm) entries(agent int) map[string][]int64 {
	s.t.Helper()
	stored, last := map[string][]int64{}, int64(0)
	out := command(s.t, s.db, "logs", "cat", "log", "--json", "--agent", fmt.Sprintf("agent-%d", agent))
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var e struct {
			ID   int64
			Text string
		}
		must(s.t, json.Unmarshal(lines.Bytes(), &e))
		if e.ID != last+1 {
			s.t.Errorf("entry %d of agent-%d comes after entry %d", e.ID, agent, last)
		}
		last = e.ID
		if stored[e.Text] = append(stored[e.Text], e.ID); len(stored[e.Text]) > 1 {
			s.t.Errorf("%q is stored as %v", e.Text, stored[e.Text])
		}
	}
	return stored
}

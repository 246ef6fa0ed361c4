//go:build linux

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// A manner says how an agent behaves.
type manner int

const (
	steady   manner = iota // keeps its connection and its session
	vanisher               // hangs up in the middle of calls, and repeats them
	returner               // comes back with a new connection, often with a new session
	manners                // how many there are
)

// A file is what a file must be.
type file struct {
	content string
	version int64
}

// An agent is one agent and its client. It remembers what was acknowledged. One goroutine
// uses it.
type agent struct {
	tenant, name string
	manner       manner
	c            *process.Client
	rnd          *rand.Rand
	plan         plan
	found        *findings

	entries   []string // of the log "log"
	files     map[string]file
	abandoned []string // sessions that it never ended
	calls     int
}

// A plan is how busy the agents are.
type plan struct {
	agents int
	lasts  time.Duration // without the starts of servers
	pause  time.Duration // between bursts, on average
	gap    time.Duration // between the calls of a burst, on average
}

// findings are what the agents see. They are safe for concurrent use.
type findings struct {
	done atomic.Int64 // calls that were acknowledged

	mu     sync.Mutex // guards the following
	wrong  []string
	hungUp int // calls that were given up in the middle
	again  int // calls that were repeated for another reason
}

func (f *findings) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wrong) < 20 {
		f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
	}
}

func (f *findings) failed(hungUp bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hungUp {
		f.hungUp++
	} else {
		f.again++
	}
}

// work calls in bursts until the context ends. A call that has begun is then brought to
// its end.
func (a *agent) work(ctx context.Context) {
	for a.wait(ctx, time.Duration(a.rnd.Float64()*float64(a.plan.pause))); ctx.Err() == nil; a.wait(ctx, a.about(a.plan.pause)) {
		for n := 2 + a.rnd.IntN(5); n > 0 && ctx.Err() == nil; n-- {
			a.step()
			a.wait(ctx, a.about(a.plan.gap))
		}
		if a.manner == returner {
			a.comeBack()
		}
	}
}

// about returns a random time with the given mean, at most six times that.
func (a *agent) about(mean time.Duration) time.Duration {
	return time.Duration(min(a.rnd.ExpFloat64(), 6) * float64(mean))
}

func (a *agent) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// comeBack drops the connection, and every second time the session too.
func (a *agent) comeBack() {
	a.c.HangUp()
	if a.c.Session != "" && a.rnd.IntN(2) == 0 {
		a.abandoned = append(a.abandoned, a.c.Session)
		a.c.Session = ""
	}
}

// step makes one call.
func (a *agent) step() {
	a.calls++
	path := fmt.Sprintf("notes/%d.md", a.rnd.IntN(4))
	switch a.rnd.IntN(8) {
	case 0:
		a.appendEntry()
	case 1:
		a.write(path)
	case 2, 3, 4:
		a.readFile(path)
	default:
		a.readLog()
	}
}

// text returns a text of some size that no other call has.
func (a *agent) text() string {
	const filler = "the quarterly refund of the northern branch is due, see the notes of the last meeting\n"
	return fmt.Sprintf("%s %d\n%s", a.name, a.calls, strings.Repeat(filler, 1+a.rnd.IntN(12)))
}

func (a *agent) appendEntry() {
	entry := a.text()
	var r struct {
		ID int64 `json:"entry_id"`
	}
	a.change(&r, "append_log", fmt.Sprintf(`"path":"log","entry":%q`, entry))
	a.entries = append(a.entries, entry)
	if want := int64(len(a.entries)); r.ID != want {
		a.found.add("%s: the entry is acknowledged as number %d, want %d", a.name, r.ID, want)
	}
}

func (a *agent) write(path string) {
	f := file{a.text(), a.files[path].version + 1}
	var r struct{ Version int64 }
	a.change(&r, "write_file", fmt.Sprintf(`"path":%q,"content":%q`, path, f.content))
	a.files[path] = f
	if r.Version != f.version {
		a.found.add("%s: %s is acknowledged as version %d, want %d", a.name, path, r.Version, f.version)
	}
}

// readFile checks that a read gives what was acknowledged last.
func (a *agent) readFile(path string) {
	f, ok := a.files[path]
	if !ok {
		a.must("list_files", "", "")
		return
	}
	if text := a.must("read_file", fmt.Sprintf(`"path":%q`, path), ""); !strings.Contains(text, f.content) {
		a.found.add("%s: %s is read as %.300q, want %.300q", a.name, path, text, f.content)
	}
}

// readLog checks that the end of the log is what was acknowledged last.
func (a *agent) readLog() {
	text := a.must("read_log", `"path":"log","tail":3`, "")
	if n := len(a.entries); n > 0 {
		if line, _, _ := strings.Cut(a.entries[n-1], "\n"); !strings.Contains(text, line+`\n`) {
			a.found.add("%s: the end of the log is read as %.300q, want %.300q", a.name, text, a.entries[n-1])
		}
	}
}

// change makes a call that writes, with an idempotency key, and decodes the answer.
func (a *agent) change(answer any, tool, args string) {
	text := a.must(tool, args, fmt.Sprintf("%s-%d", a.name, a.calls))
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		a.found.add("%s: %s is answered with %.300q: %v", a.name, tool, text, err)
	}
}

// must repeats a call until it is acknowledged, and returns the answer. A vanisher hangs
// up now and then, and calls again.
func (a *agent) must(tool, args, key string) string {
	args = strings.TrimSuffix(fmt.Sprintf(`"agent_id":%q,%s`, a.name, args), ",")
	for first := time.Now(); time.Since(first) < 2*time.Minute; {
		ctx, cancel, hangsUp := context.Background(), func() {}, a.manner == vanisher && a.ready() && a.rnd.IntN(3) == 0
		if hangsUp {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(a.rnd.IntN(12_000))*time.Microsecond)
		}
		text, err := a.c.Call(ctx, tool, args, key)
		cancel()
		if err == nil {
			a.found.done.Add(1)
			return text
		}
		wait, may := a.mayRepeat(err)
		if !may {
			a.found.add("%s: %s is answered with %v", a.name, tool, err)
			return ""
		}
		a.found.failed(hangsUp && errors.Is(err, context.DeadlineExceeded))
		time.Sleep(time.Duration(float64(wait) * (0.5 + a.rnd.Float64())))
	}
	a.found.add("%s: %s is not acknowledged in two minutes", a.name, tool)
	return ""
}

// ready reports whether the next request is the call itself. Nobody would know the name of
// a session whose begin is not answered.
func (a *agent) ready() bool { return a.c.Modern || a.c.Session != "" }

// mayRepeat reports whether a call may be repeated, and after which time.
func (a *agent) mayRepeat(err error) (wait time.Duration, may bool) {
	var status *process.StatusError
	var tool process.ToolError
	switch {
	case errors.As(err, &status) && status.After != "":
		return time.Second, true
	case errors.As(err, &status): // a session ends with its server
		return 0, status.Status == http.StatusNotFound && !a.c.Modern
	case errors.As(err, &tool): // at a stop
		return 100 * time.Millisecond, strings.Contains(err.Error(), "busy") || strings.Contains(err.Error(), "the call was cancelled")
	}
	return 100 * time.Millisecond, true // there is no connection, or it broke
}

// leave ends the sessions of the agent, those that it has abandoned too, and hangs up.
func (a *agent) leave(ctx context.Context) {
	defer a.c.HangUp()
	if a.c.Session != "" {
		a.abandoned = append(a.abandoned, a.c.Session)
	}
	for _, s := range a.abandoned {
		err := a.c.End(ctx, s)
		for began := time.Now(); err != nil && time.Since(began) < time.Minute; err = a.c.End(ctx, s) {
			status := (*process.StatusError)(nil)
			if !errors.As(err, &status) || status.Status != http.StatusTooManyRequests {
				break
			}
			time.Sleep(100 * time.Millisecond) // the key is over its rate, or its last calls were
		}
		if err != nil {
			a.found.add("%s: the session does not end: %v", a.name, err)
		}
	}
}

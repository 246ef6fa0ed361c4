package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// anybody is a person who needs no key.
type anybody struct{ who console.Person }

func (a anybody) Person(context.Context, string) (console.Person, error) { return a.who, nil }
func (a anybody) SignOut(context.Context, string) error                  { return nil }
func (a anybody) SignIn(context.Context, string) (string, time.Time, error) {
	return "", time.Time{}, console.ErrRefused
}

// serveToAnybody serves a console to whoever asks.
func serveToAnybody(t *testing.T, svc *workspace.Service) *httptest.Server {
	t.Helper()
	pages, err := console.New(console.Options{People: anybody{console.Person{
		ID: "local", Name: "you", Open: true, Read: true, Write: true, Agents: []string{"*"}, Allow: func(string) bool { return true }, Service: svc,
	}}})
	must(t, err)
	srv := httptest.NewServer(pages)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		must(t, svc.Close(context.Background()))
	})
	return srv
}

// A liveLog is a log that is open in a tab.
type liveLog struct {
	t           *testing.T
	p           *tab
	ws          *workspace.Workspace
	first, last int
}

// add appends n entries.
func (l *liveLog) add(n int) {
	l.t.Helper()
	for ; n > 0; n -= min(n, 100) {
		var entries [][]byte
		for range min(n, 100) {
			l.last++
			entries = append(entries, fmt.Appendf(nil, "entry %d", l.last))
		}
		_, err := l.ws.AppendLog(l.t.Context(), "l", entries...)
		must(l.t, err)
	}
}

// check waits until the list has the newest entries and all that are older, as far as it
// goes.
func (l *liveLog) check(what string) {
	l.t.Helper()
	l.p.seeWithin(patience, fmt.Sprintf("entries %d to %d", l.first, l.last))
	var keys []int
	ok := func() bool {
		keys = evaluate[[]int](l.p, `[...document.querySelectorAll("#entries > [data-key]")].map(e => +e.dataset.key)`)
		for i, key := range keys {
			if key != l.last-i || key < l.first {
				return false
			}
		}
		return len(keys) > 0 && (keys[len(keys)-1] == l.first || evaluate[bool](l.p, `!!document.querySelector("#older")`))
	}
	if !l.p.wait(patience, ok) {
		l.t.Errorf("%s: the list has %d, want %d to %d and no gap", what, keys, l.last, l.first)
	}
}

// A log that is open shows what comes, whatever comes at once, and has no gaps.
func TestLogLive(t *testing.T) {
	t.Parallel()
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	must(t, err)
	ws, err := svc.Agent("a")
	must(t, err)
	l := &liveLog{t: t, ws: ws, first: 1}
	l.add(250)
	srv := serveToAnybody(t, svc)
	p := open(t, srv.URL, view{})
	p.visit("/a/a/logs/l")
	p.see("entry 250")
	l.p = p
	l.check("at first")
	l.add(1)
	l.check("one more")
	scroll := func() { evaluate[any](p, `scrollTo(0, document.body.scrollHeight)`) }
	p.wait(patience, func() bool { scroll(); return !evaluate[bool](p, `!!document.querySelector("#older")`) })
	l.check("after scrolling to the end")
	if n := evaluate[int](p, `document.querySelectorAll("#entries > [data-key]").length`); n != l.last {
		t.Errorf("after scrolling to the end there are %d entries, want %d", n, l.last)
	}
	l.add(50)
	l.check("after scrolling, fifty more")
	if n := evaluate[int](p, `document.querySelectorAll("#entries > [data-key]").length`); n != l.last {
		t.Errorf("an update has dropped older entries: %d are left, want %d", n, l.last)
	}
	srv.CloseClientConnections()
	p.expect("net::ERR_")
	l.add(260)
	p.wait(patience, func() bool { return evaluate[bool](p, `document.querySelector("#lost").hidden`) })
	l.check("more than a page, while the server was away")
	scroll()
	l.check("after that")
	_, err = ws.TrimLog(t.Context(), "l", int64(l.last-20), workspace.DeleteOptions{})
	must(t, err)
	l.first = l.last - 19
	l.check("after a trim")
	p.review("log")
}

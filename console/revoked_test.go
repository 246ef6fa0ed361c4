package console_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Events say that there is something new on a page that the person may see, and nothing
// about others.
func TestEventsAreForWhoSeesPages(t *testing.T) {
	svc := newService(t)
	person := func(id string, change func(*console.Person)) console.Person {
		p := everybody(svc)
		p.ID, p.Read, p.Write, p.Admin, p.Metrics = id, false, false, false, false
		change(&p)
		return p
	}
	all := people{
		"ada":     everybody(svc),
		"writer":  person("writer", func(p *console.Person) { p.Write = true }),
		"watcher": person("watcher", func(p *console.Person) { p.Metrics = true }),
		"admin":   person("admin", func(p *console.Person) { p.Admin, p.Agents, p.Allow = true, nil, func(string) bool { return false } }),
	}
	b := open(t, console.Options{People: all}, "ada")
	for who, want := range map[string]int{"writer": http.StatusForbidden, "watcher": http.StatusForbidden, "admin": http.StatusOK} {
		other := visit(t, b.url, "")
		_, _ = other.post("/signin", url.Values{"key": {who}}) // the page after it is not for everybody
		if _, status := other.listen("/events"); status != want {
			t.Errorf("%s: status %d, want %d", who, status, want)
		}
	}
	admins, _ := visit(t, b.url, "admin").listen("/events")
	adas, _ := b.listen("/events?agent=a")
	want(t, admins, "hello")
	want(t, adas, "hello")
	write(t, svc, "a", "x", "x")
	want(t, adas, "change")
	want(t, admins, "change") // the list of agents, which an admin sees
	peopleMu.Lock()
	p := all["ada"]
	p.Read = false
	all["ada"] = p
	peopleMu.Unlock()
	for range 20 { // the rights are read again within a second
		write(t, svc, "a", "x", rand.Text())
		want(t, admins, "change")
		select {
		case <-adas:
		case <-time.After(300 * time.Millisecond):
			return
		}
	}
	t.Error("who may not read any more is still told of changes")
}

// The console may have to wait until a request is admitted. Rights that end meanwhile count.
func TestRightsAfterAdmission(t *testing.T) {
	svc := newService(t)
	write(t, svc, "a", "CANARY.md", "x")
	for _, page := range []string{"/a/a/files/CANARY.md", "/a/a/changes"} {
		all := people{"ada": everybody(svc)}
		h, err := console.New(console.Options{People: all, Admit: func(context.Context, console.Person) error {
			peopleMu.Lock()
			defer peopleMu.Unlock()
			p := all["ada"]
			p.Read = false
			all["ada"] = p
			return nil
		}})
		testkit.Must(t, err)
		r := httptest.NewRequest("GET", "http://localhost"+page, nil)
		r.AddCookie(&http.Cookie{Name: "scratchpad", Value: "ada"})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "CANARY") {
			t.Errorf("%s: status %d, want 403, and %.200q", page, w.Code, w.Body)
		}
	}
}

// listen opens the events of an address. The channel is closed when they end.
func (b *browser) listen(address string) (events <-chan string, status int) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+address, nil)
	testkit.Must(b.t, err)
	client := *b.client
	client.Timeout = 0
	answer, err := client.Do(r)
	testkit.Must(b.t, err)
	b.t.Cleanup(func() { answer.Body.Close() })
	told := make(chan string, 100)
	go func() {
		defer close(told)
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				told <- name
			}
		}
	}()
	return told, answer.StatusCode
}

func want(t *testing.T, events <-chan string, name string) {
	t.Helper()
	select {
	case got := <-events:
		if got != name {
			t.Fatalf("event %q, want %q", got, name)
		}
	case <-time.After(patience):
		t.Fatalf("no event, want %q", name)
	}
}

func TestEvents(t *testing.T) {
	svc := newService(t)
	ada, bob := everybody(svc), everybody(svc)
	bob.Admin = false // who would see the list of all agents
	bob.ID, bob.Agents, bob.Allow = "bob", []string{"b"}, func(agent string) bool { return agent == "b" }
	all := people{"ada": ada, "bob": bob}
	b := open(t, console.Options{People: all}, "ada")
	every, _ := b.listen("/events")
	one, _ := b.listen("/events?agent=a")
	bobs, _ := visit(t, b.url, "bob").listen("/events")
	for _, events := range []<-chan string{every, one, bobs} {
		want(t, events, "hello")
	}
	write(t, svc, "c", "x.md", "x")
	want(t, every, "change")
	write(t, svc, "a", "x.md", "x")
	want(t, one, "change")
	want(t, every, "change")
	write(t, svc, "b", "x.md", "x")
	want(t, bobs, "change")
	want(t, every, "change")
	select {
	case name := <-one:
		t.Errorf("the page of an agent was told %q of another", name)
	case name := <-bobs:
		t.Errorf("a person was told %q of an agent of others", name)
	case <-time.After(50 * time.Millisecond):
	}
	if _, status := visit(t, b.url, "bob").listen("/events?agent=a"); status != http.StatusNotFound {
		t.Errorf("events of an agent of others: status %d, want 404", status)
	}
	_, _ = b.submit("/", "/signout", map[string][]string{})
	want(t, every, "end")
	want(t, one, "end")
}

package console_test

import (
	"bufio"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// listen opens the events of an address. The channel is closed when they end.
func (b *browser) listen(address string) (events <-chan string, status int) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	client := *b.client
	client.Timeout = 0
	answer, err := client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
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

// A store that does not know who has written tells of everybody. Pages are told of what
// they show, and learn nothing of the writes of others.
func TestEventsOfAnotherProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	var services []*workspace.Service
	for range 2 {
		store, err := sqlite.Open(t.Context(), file, sqlite.Options{})
		testkit.Must(t, err)
		svc, err := workspace.New(store, workspace.Options{})
		testkit.Must(t, err)
		t.Cleanup(func() { _ = svc.Close(context.Background()) })
		services = append(services, svc)
	}
	here, there := services[0], services[1]
	write(t, here, "a", "x.md", "x")
	write(t, here, "b", "x.md", "x")
	bob := everybody(here)
	bob.Admin, bob.Agents, bob.Allow = false, []string{"b"}, func(agent string) bool { return agent == "b" }
	b := open(t, console.Options{People: people{"ada": everybody(here), "bob": bob}}, "ada")
	every, _ := b.listen("/events")
	one, _ := b.listen("/events?agent=b")
	bobs, _ := visit(t, b.url, "bob").listen("/events")
	for _, events := range []<-chan string{every, one, bobs} {
		want(t, events, "hello")
	}
	write(t, there, "a", "x.md", "y")
	want(t, every, "change")
	time.Sleep(700 * time.Millisecond) // a store may take 500 ms to see it
	select {
	case name := <-one:
		t.Errorf("the page of an agent was told %q of another", name)
	case name := <-bobs:
		t.Errorf("a person was told %q of an agent of others", name)
	default:
	}
	write(t, there, "b", "x.md", "y")
	for _, events := range []<-chan string{every, one, bobs} {
		want(t, events, "change")
	}
}

package console_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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

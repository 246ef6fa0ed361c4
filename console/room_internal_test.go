package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// Who finds no room learns whose pages take it.
func TestTakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := admission.New(100, 50)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		ada, bob := &visit{r: r, group: "ada"}, &visit{r: r, group: "bob"}
		if err := ada.takeRoom(in, in.Share()); err != nil {
			t.Fatal(err)
		}
		var busy *Busy
		if err := ada.takeRoom(in, 1); !errors.As(err, &busy) || !strings.Contains(busy.Text, "your other pages") {
			t.Errorf("a page more: %v, want Busy with the person's own pages", err)
		}
		if err := bob.takeRoom(in, in.Share()+1); !errors.As(err, &busy) || !strings.Contains(busy.Text, "the pages of others") {
			t.Errorf("a page of somebody else: %v, want Busy with the pages of others", err)
		}
	})
}

// The addresses of a few strangers leave room for the forms of others.
func TestForeignRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(Options{People: &changing{}})
		testkit.Must(t, err)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		for i := range 8 {
			v := &visit{r: r, group: fmt.Sprint("address ", i)}
			testkit.Must(t, v.takeRoom(h.foreign, h.foreign.Share()))
			if err := v.takeRoom(h.foreign, 1); err == nil {
				t.Errorf("address %d has more than its share", i)
			}
		}
	})
}

// A changing person has other rights as soon as changed is true.
type changing struct {
	People
	person  Person
	changed atomic.Bool
	change  func(*Person)
	looks   chan struct{} // has a value for each look
}

// Person implements [People].
func (c *changing) Person(context.Context, string) (Person, error) {
	p := c.person
	if c.changed.Load() {
		c.change(&p)
	}
	c.looks <- struct{}{}
	if p.ID == "" {
		return Person{}, ErrSignedOut
	}
	return p, nil
}

// A page that has waited for room is not made when its person has lost rights meanwhile.
func TestRightsAfterRoom(t *testing.T) {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	if _, err := ws.WriteFile(t.Context(), "f.md", []byte("CANARY"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.AppendLog(t.Context(), "l", []byte("CANARY")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Person){
		"":           func(*Person) {},
		"signed out": func(p *Person) { p.ID = "" },
		"of another": func(p *Person) { p.ID = "bob" },
		"no reading": func(p *Person) { p.Read = false },
		"no agent":   func(p *Person) { p.Agents, p.Allow = []string{"b"}, func(string) bool { return false } },
	} {
		for _, page := range []string{"/a/a", "/a/a/files/f.md", "/a/a/files/f.md?view=source", "/a/a/files/f.md?view=edit", "/a/a/raw/f.md", "/a/a/logs/l", "/a/a/logs/l?raw=1", "/a/a/search?q=CANARY", "/search?q=CANARY"} {
			who := &changing{change: change, looks: make(chan struct{}, 100), person: Person{
				ID: "ada", Read: true, Write: true, Agents: []string{"*"}, Allow: func(string) bool { return true }, Service: svc,
			}}
			h, err := New(Options{People: who})
			testkit.Must(t, err)
			memory, _ := h.room.TryTake("x", h.room.Size())
			finds, _ := h.finds.TryTake("x", h.finds.Size())
			answer, done := httptest.NewRecorder(), make(chan struct{})
			go func() {
				defer close(done)
				defer func() {
					if v := recover(); v != nil && v != http.ErrAbortHandler { // how an answer is broken off
						panic(v)
					}
				}()
				h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost"+page, nil))
			}()
			for range 2 { // before it waits
				<-who.looks
			}
			time.Sleep(time.Millisecond)
			who.changed.Store(true)
			memory.Leave()
			finds.Leave()
			<-done
			shown := answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), "CANARY") || page == "/a/a" && answer.Code == http.StatusOK
			if shown != (name == "") {
				t.Errorf("%q: %s: shown is %v, status %d", name, page, shown, answer.Code)
			}
		}
	}
}

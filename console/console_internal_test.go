package console

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
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
		for _, page := range []string{"/a/a", "/a/a/files/f.md", "/a/a/files/f.md?view=source", "/a/a/files/f.md?view=edit", "/a/a/raw/f.md", "/a/a/logs/l", "/a/a/search?q=CANARY", "/search?q=CANARY"} {
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

// The cookie is for this server alone, and a session comes back from it.
func TestCookie(t *testing.T) {
	for _, c := range []struct {
		url, proto, name string
		open             bool
	}{
		{"https://pad.example/", "", "__Host-scratchpad", false},
		{"http://pad.example/", "https", "__Host-scratchpad", false},
		{"http://pad.example/", "", "__Host-scratchpad", true},
		{"http://localhost:8080/", "", "scratchpad-8080", false},
		{"http://[::1]:8080/", "", "scratchpad-8080", false},
		{"http://127.0.0.1/", "", "scratchpad", false},
		{"http://Localhost.:8080/", "", "scratchpad-8080", false},
		{"http://localhost.example/", "", "__Host-scratchpad", true},
	} {
		r := httptest.NewRequest(http.MethodGet, c.url, nil)
		r.Header.Set("X-Forwarded-Proto", c.proto)
		cookie := newCookie(r, "s1", time.Unix(1<<32, 0))
		r.AddCookie(cookie)
		if cookie.Name != c.name || cookie.Secure != strings.HasPrefix(c.name, "__Host-") || isOpen(r) != c.open || sessionOf(r) != "s1" {
			t.Errorf("%s: %v, open %v, session %q", c.url, cookie, isOpen(r), sessionOf(r))
		}
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("%s: %v, want HttpOnly and SameSite=Strict, for this host alone", c.url, cookie)
		}
	}
}

func TestToken(t *testing.T) {
	one, two := rand.Text(), rand.Text()
	if !isFormToken(one, formToken(one)) || isFormToken(one, formToken(two)) || isFormToken("", formToken("")) || isFormToken(one, "") {
		t.Error("a token is of another session, or of none")
	}
}

// Other bytes have another address. Browsers may keep them.
func TestAssets(t *testing.T) {
	addresses := map[string]bool{}
	for _, style := range []string{"a {}", "b {}"} {
		all, err := readAssets(fstest.MapFS{"static/style.css": {Data: []byte(style)}, "static/script.js": {}, "static/icon.svg": {}})
		testkit.Must(t, err)
		mux := http.NewServeMux()
		mux.Handle("GET /static/{name}", all)
		address := all.url("style.css")
		addresses[address] = true
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Body.String() != style || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %s %v", address, w.Body, w.Header())
		}
	}
	if len(addresses) != 2 {
		t.Errorf("two stylesheets have the addresses %v", addresses)
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		used, limit int64
		want        string
	}{
		{5, 0, ""},
		{84, 100, `<svg class="bar" role="img" aria-label="84 % of &lt;all&gt;"><rect width="84%" height="100%"/></svg>`},
		{85, 100, `<svg class="bar warn" role="img" aria-label="85 % of &lt;all&gt;"><rect width="85%" height="100%"/></svg>`},
		{999, 100, `<svg class="bar bad" role="img" aria-label="100 % of &lt;all&gt;"><rect width="100%" height="100%"/></svg>`},
	} {
		if got := bar(c.used, c.limit, "of <all>"); string(got) != c.want {
			t.Errorf("bar(%d, %d) = %s, want %s", c.used, c.limit, got, c.want)
		}
	}
}

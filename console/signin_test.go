package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
)

// A token in an address counts where people come by a link, and nowhere else: an address must
// not lead somebody into the session of another.
func TestLink(t *testing.T) {
	svc := newService(t)
	all := people{"ada": everybody(svc)}
	byKey := open(t, console.Options{People: all}, "")
	if status, page := byKey.get("/signin?token=ada"); status != http.StatusOK || !strings.Contains(page, "<h1>Sign in</h1>") || !strings.Contains(page, `name="key"`) {
		t.Errorf("without Options.Link: %d\n%s", status, page)
	}
	if _, page := byKey.get("/"); !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("after a token somebody is in:\n%s", page)
	}
	byLink := open(t, console.Options{People: all, Link: "program console"}, "")
	if _, page := byLink.get("/"); !strings.Contains(page, "program console") || strings.Contains(page, `name="key"`) {
		t.Errorf("without the token:\n%s", page)
	}
	if status, page := byLink.get("/signin?token=eve"); status != http.StatusForbidden || !strings.Contains(page, "used before") {
		t.Errorf("a wrong token: %d\n%s", status, page)
	}
	if byLink.do(http.MethodHead, "/signin?token=ada", nil); strings.Contains(fmt.Sprint(byLink.get("/")), "<h1>Agents") {
		t.Error("HEAD takes the token")
	}
	if status, page := byLink.get("/signin?token=ada&next=/a/planner"); status != http.StatusOK || !strings.Contains(page, "<title>planner") {
		t.Errorf("the token: %d\n%s", status, page)
	}
	if status, page := byLink.get("/signin?token=eve&next=//evil.example/"); status != http.StatusOK || !strings.Contains(page, "<h1>Agents</h1>") {
		t.Errorf("who is in already: %d\n%s", status, page)
	}
}

// Each request of a person is asked for once, whatever it is, and those of others are not.
func TestAdmit(t *testing.T) {
	svc := newService(t)
	var asked []string
	b := open(t, console.Options{People: people{"ada": everybody(svc)}, Admit: func(_ context.Context, p console.Person) error {
		asked = append(asked, p.ID+" "+p.Key)
		return nil
	}}, "")
	b.get("/signin")
	b.get("/favicon.ico")
	if b.get("/"); len(asked) != 0 {
		t.Errorf("asked about strangers: %v", asked)
	}
	b.post("/signin", url.Values{"key": {"ada"}}) // and then the first page
	b.submit("/", "/signout", url.Values{})       // a page, a form, and a page for strangers
	if got := strings.Join(asked, ", "); got != "ada k1, ada k1, ada k1" {
		t.Errorf("asked about %s", got)
	}
	b = open(t, console.Options{People: people{"": everybody(svc)}, Admit: func(context.Context, console.Person) error {
		return &console.Busy{After: 2 * time.Second, Text: "too many requests"}
	}}, "")
	if status, page := b.get("/"); status != http.StatusTooManyRequests || !strings.Contains(page, "Too many requests") {
		t.Errorf("one too many: %d\n%s", status, page)
	}
}

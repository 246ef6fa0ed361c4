package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A question asks about what is not the caller's: it has a form for what exists and belongs
// to another, and one for what does not exist. The two are equally long.
type question struct {
	name           string
	asker          actor
	yours, nobodys string // the body, or the session
	session        bool
}

// questions puts memory of a victim into a server, and returns questions about it.
func (c *cast) questions(t *testing.T, url string) []question {
	t.Helper()
	victim := c.key("hens", "", both, "there-1")
	asker, bound, token := c.key("hens", "", both, "mine", "more*"), c.key("hens", "", both, "alone"), c.token("hens", "s", "mine", "more")
	stranger := c.key("foxes", "", both, "there*")
	u := &use{url: url, key: victim.credential, tool: "write_file", args: `"path":"f","content":"x"`}
	u.begin(t)
	if ok, status, text := u.once(t.Context()); !ok {
		t.Fatalf("the victim writes: %d %s", status, text)
	}
	body := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params)
	}
	call := func(agent string) string {
		return body("tools/call", `"name":"read_file","arguments":{"agent_id":"`+agent+`","path":"f"}`)
	}
	read := func(agent string) string { return body("resources/read", `"uri":"scratchpad://`+agent+`/f"`) }
	return []question{
		{name: "a tool", asker: asker, yours: call("there-1"), nobodys: call("nobody1")},
		{name: "a tool of a bound caller", asker: bound, yours: call("there-1"), nobodys: call("nobody1")},
		{name: "a tool, with a token", asker: token, yours: call("there-1"), nobodys: call("nobody1")},
		{name: "a resource", asker: asker, yours: read("there-1"), nobodys: read("nobody1")},
		{name: "an agent of another tenant", asker: stranger, yours: call("there-1"), nobodys: call("there-2")},
		{name: "a session", asker: asker, session: true, yours: u.session, nobodys: strings.Repeat("A", len(u.session))},
	}
}

// ask sends one form of a question and returns all of the answer that does not differ each
// time, and how long it took.
func (q question) ask(ctx context.Context, web *http.Client, url, form string) (answer string, took time.Duration, err error) {
	body, header := form, map[string]string{"Authorization": "Bearer " + q.asker.credential, "Mcp-Protocol-Version": "2026-07-28"}
	_, uri, isResource := strings.Cut(form, `"uri":"`)
	switch {
	case q.session:
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
		header["Mcp-Protocol-Version"], header["Mcp-Session-Id"] = "2025-06-18", form
	case isResource:
		header["Mcp-Method"] = "resources/read"
		header["Mcp-Name"], _, _ = strings.Cut(uri, `"`)
	default:
		header["Mcp-Method"], header["Mcp-Name"] = "tools/call", "read_file"
	}
	res, text, took, err := postMCP(ctx, web, url, body, header)
	if err != nil {
		return "", 0, err
	}
	res.Header.Del("Date")
	res.Header.Del("X-Request-Id")
	return fmt.Sprint(res.Status, res.Header, ownName.ReplaceAllString(text, "NAME")), took, nil
}

var ownName = regexp.MustCompile("there-[12]|nobody1") // as the question gave it

// What belongs to another and what does not exist have the same answer, which takes the
// same time: with keys and with tokens, in both eras. A difference counts if it is found
// three times in a row. So that no busy machine fails the test, it must also be large
// there, except with the long proofs.
func TestNotYoursTakesAsLongAsNotThere(t *testing.T) {
	testkit.SkipUnlessLong(t)
	db := filepath.Join(t.TempDir(), "team.db")
	c := newCast(t, db)
	r := serve(t, append(c.issuer.flags(), "--db", db, "--rate", "0", "--rate-agent", "0", "--log-level", "error")...)
	web := &http.Client{Transport: &http.Transport{}}
	defer web.CloseIdleConnections()
	n, least := testkit.Pick(0, 250, 20_000), testkit.Pick(0, 0.3, 0.0)
	for _, q := range c.questions(t, r.url) {
		found := 0
		for ; found < 3; found++ {
			yours, nobodys := q.measure(t, web, r.url, n)
			z, half := signs(yours, nobodys), median(yours)/median(nobodys)-1
			p := math.Erfc(math.Abs(z) / math.Sqrt2)
			t.Logf("%s: %d pairs, %.0f and %.0f ns, p = %.3f", q.name, n, median(yours), median(nobodys), p)
			if p >= 0.01 || math.Abs(half) < least {
				break
			}
		}
		if found == 3 {
			t.Errorf("%s: the answers about what there is and what there is not take different times", q.name)
		}
	}
}

// measure asks both forms in turn, in an order drawn each time.
func (q question) measure(t *testing.T, web *http.Client, url string, pairs int) (yours, nobodys []float64) {
	t.Helper()
	for range pairs {
		forms := []string{q.yours, q.nobodys}
		first := rand.IntN(2)
		var took [2]time.Duration
		var answers [2]string
		for _, i := range []int{first, 1 - first} {
			var err error
			answers[i], took[i], err = q.ask(t.Context(), web, url, forms[i])
			testkit.Must(t, err)
		}
		if answers[0] != answers[1] {
			t.Fatalf("%s: the answers are\n%s\nand\n%s", q.name, answers[0], answers[1])
		}
		yours, nobodys = append(yours, float64(took[0])), append(nobodys, float64(took[1]))
	}
	return yours, nobodys
}

// signs returns how many standard deviations the number of pairs in which the first time is
// the longer one is away from a half.
func signs(a, b []float64) float64 {
	longer := 0.0
	for i := range a {
		if a[i] > b[i] {
			longer++
		}
	}
	n := float64(len(a))
	return (2*longer - n) / math.Sqrt(n)
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// A countingStore counts the transactions on memory.
type countingStore struct {
	workspace.Store
	memory *atomic.Int64
}

func (s countingStore) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	s.memory.Add(1)
	return s.Store.View(ctx, o, fn)
}

func (s countingStore) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	s.memory.Add(1)
	return s.Store.Update(ctx, o, fn)
}

// What belongs to another and what does not exist have the same answer. A refused question
// does not get as far as the memory of anybody.
func TestNotYoursCostsNoLook(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	c := newCast(t, db)
	var memory atomic.Int64
	s := faulty(t, db, c.issuer, fault{wrap: func(store workspace.Store) workspace.Store { return countingStore{store, &memory} }})
	for _, q := range c.questions(t, s.url) {
		var looks [2]int64
		var answers [2]string
		for i, form := range []string{q.yours, q.nobodys} {
			before := memory.Load()
			answer, _, err := q.ask(t.Context(), http.DefaultClient, s.url, form)
			testkit.Must(t, err)
			looks[i], answers[i] = memory.Load()-before, answer
		}
		own := q.name == "an agent of another tenant" // its name may be that of the caller's own agent
		if looks[0] != looks[1] || !own && looks[0] != 0 {
			t.Errorf("%s: %d looks at the store, and %d about what is not there", q.name, looks[0], looks[1])
		}
		if answers[0] != answers[1] {
			t.Errorf("%s: the answers are\n%s\nand\n%s", q.name, answers[0], answers[1])
		}
	}
}

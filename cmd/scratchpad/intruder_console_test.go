package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A prowl is an intruder at the console with some key, and a victim.
type prowl struct {
	name             string
	intruder, victim actor
}

// prowls are of each kind of key. The victims' memory comes from the duels.
func (c *cast) prowls() (all []prowl, fills []duel) {
	const everything = both | auth.Admin | auth.Metrics
	mate := c.key("house", "", both, "victoria-5")
	hen := c.key("nest", "CANARY7f3a803", everything, "planner-y*")
	all = []prowl{
		{"two agents", c.key("house", "mine", both, "mallory-5", "mallory-6"), mate},
		{"a prefix", c.key("house", "mine", both, "victoria-6*"), mate},
		{"read", c.key("house", "mine", auth.Read, "mallory-5"), mate},
		{"write", c.key("house", "mine", auth.Write, "mallory-5"), mate},
		{"admin alone", c.key("house", "mine", auth.Admin, "*"), mate},
		{"metrics alone", c.key("house", "mine", auth.Metrics, "*"), mate},
		{"all of another tenant", c.key("fox-9", "mine", everything, "*"), hen},
	}
	return all, []duel{
		{"house", c.key("house", "helper", both, "mallory-5"), mate, ""},
		{"nest", c.key("fox-9", "helper", both, "planner-y*"), hen, ""},
	}
}

// A sitter sits at a browser.
type sitter struct {
	actor
	url, cookie, token string
	web                *http.Client
}

var formTokens = regexp.MustCompile(`name="token" value="([^"]+)"`)

// sit signs an actor in.
func (a actor) sit(t testing.TB, at string) *sitter {
	t.Helper()
	s := &sitter{actor: a, url: at, web: &http.Client{
		Transport: &http.Transport{}, Timeout: waitPatience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	t.Cleanup(s.web.CloseIdleConnections)
	_, header, _ := s.send(t, &try{method: "POST", path: "/signin", form: url.Values{"key": {a.credential}}})
	s.cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	_, _, page := s.send(t, &try{method: "GET", path: "/keys"}) // also the page that refuses has forms
	if m := formTokens.FindStringSubmatch(page); m != nil {
		s.token = m[1]
	}
	if s.cookie == "" || s.token == "" {
		t.Fatalf("%s does not sign in: cookie %q\n%s", a.agent, s.cookie, page)
	}
	return s
}

// A try is a request.
type try struct {
	route, method, path string
	query, form         url.Values
	header              map[string]string
}

func (q *try) String() string {
	return fmt.Sprintf("%s %s?%s %v %v %v %s", q.method, q.path, q.query.Encode(), q.query, q.form, q.header, unescaped(q.path))
}

func unescaped(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return plain
}

// send returns the answer. Of a stream it is the beginning.
func (s *sitter) send(t testing.TB, q *try) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), q.method, s.url+q.path+"?"+q.query.Encode(), strings.NewReader(q.form.Encode()))
	testkit.Must(t, err)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Cookie", s.cookie)
	if q.method != "GET" && q.method != "HEAD" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		r.Body, r.ContentLength = nil, 0
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	res, err := s.web.Do(r)
	testkit.Must(t, err)
	defer res.Body.Close()
	if res.Header.Get("Content-Type") == "text/event-stream" {
		return res.StatusCode, res.Header, ""
	}
	body, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return res.StatusCode, res.Header, string(body)
}

// A prowler makes requests of the routes of the console.
type prowler struct {
	*rand.Rand
	me, victim *sitter
	key        string // the id of the victim's, if the intruder may not revoke it
	routes     []string
}

func oneOf(g *prowler, list ...string) string { return list[g.IntN(len(list))] }

func (g *prowler) next() *try {
	q := &try{route: oneOf(g, g.routes...), query: url.Values{}, form: url.Values{}, header: map[string]string{}}
	method, pattern, found := strings.Cut(q.route, " ")
	if !found {
		method, pattern = "GET", method
	}
	q.method = oneOf(g, method, method, method, method, method, "GET", "POST", "HEAD", "PUT", "OPTIONS")
	q.path = strings.NewReplacer("{$}", "", "{agent}", g.agent(), "{path...}", g.path(), "{name}", oneOf(g, "style.css", "..", g.victim.agent)).Replace(pattern)
	if g.IntN(20) == 0 {
		q.path = oneOf(g, q.path+"/", "/"+q.path, q.path+"/../"+g.victim.agent, q.path+";"+g.victim.agent, strings.ToUpper(q.path), "/a/"+g.me.agent+"/%2e%2e/"+g.victim.agent)
	}
	for _, name := range queryNames {
		if g.IntN(10) == 0 {
			q.query.Add(name, g.value(name))
		}
	}
	for _, name := range formNames {
		if g.IntN(3) > 0 {
			q.form.Add(name, strings.ReplaceAll(withoutMarks(g.value(name)), g.victim.agent, "v")) // the intruder may read what it wrote itself
		}
	}
	if pattern == "/keys" && g.IntN(2) == 0 {
		q.query.Set(oneOf(g, "revoke", "rotate"), g.key)
	}
	if g.IntN(2) == 0 {
		g.likely(q, pattern)
	}
	q.form.Set("token", oneOf(g, g.me.token, g.me.token, g.me.token, g.victim.token, ""))
	if strings.HasPrefix(pattern, "/sign") {
		q.form.Del("token") // the intruder stays
		q.form.Set("key", oneOf(g, g.me.credential, ""))
	}
	if q.method != "GET" && q.method != "HEAD" {
		q.path = withoutMarks(q.path)
	}
	g.headers(q)
	return q
}

// likely fills a form in as its page does.
func (g *prowler) likely(q *try, pattern string) {
	switch pattern {
	case "/a/{agent}/files/{path...}":
		q.path, q.form["do"], q.form["version"], q.form["text-0"] = fmt.Sprint("/a/", g.agent(), "/files/made/", g.IntN(1000)), []string{"save"}, []string{"0"}, []string{"mine"}
	case "/a/{agent}/logs/{path...}":
		q.path, q.form["do"], q.form["through"] = "/a/"+g.agent()+"/logs/own", []string{"trim"}, []string{"1"}
	case "/search", "/a/{agent}/search":
		q.query = url.Values{"q": {g.value("q")}, "as": {oneOf(g, "", "exact")}}
	case "/keys":
		q.form = url.Values{"do": {"create"}, "name": {"made"}, "agents": {"*"}, "scopes": {g.value("scopes")}, "lifetime": {"30d"}, "stamp": {g.value("stamp")}}
	}
}

// withoutMarks returns a text with what is almost a mark.
func withoutMarks(text string) string { return canary.ReplaceAllString(text, "CANARY7f3b110") }

// headers adds headers that are not those of a browser.
func (g *prowler) headers(q *try) {
	name, mine, _ := strings.Cut(g.me.cookie, "=")
	if g.IntN(8) == 0 {
		_, victims, _ := strings.Cut(g.victim.cookie, "=")
		q.header["Cookie"] = oneOf(g, g.me.cookie+"; "+name+"="+strings.ToLower(victims), name+"="+g.victim.id+mine[8:], name+"="+strings.ToUpper(victims)+"; "+g.me.cookie, "other="+victims, strings.ToUpper(name)+"="+victims, name+"="+victims[:len(victims)-1], "")
	}
	if g.IntN(8) == 0 {
		q.header["Accept"] = oneOf(g, "*/*", "application/json", "text/event-stream")
	}
	if g.IntN(8) == 0 {
		q.header["Sec-Fetch-Site"] = oneOf(g, "same-origin", "none", "cross-site")
	}
	if g.IntN(12) == 0 {
		q.header["Authorization"] = oneOf(g, "Bearer "+g.me.credential, "Bearer sp_"+g.victim.id)
	}
}

var (
	queryNames = []string{"q", "order", "after", "before", "v", "from", "view", "diff", "as", "a", "b", "context", "open", "head", "prefix", "kind", "path", "author", "raw", "download", "revoke", "rotate", "through", "next", "token", "agent"}
	formNames  = []string{"do", "version", "text-0", "text-1", "text-2", "ending", "once", "to", "current", "through", "last", "id", "overlap", "stamp", "name", "agents", "scopes", "lifetime", "path", "next"}
)

// value returns a value for a field of an address or of a form.
func (g *prowler) value(name string) string {
	switch name {
	case "q":
		return oneOf(g, "CANARY7f3b110", "0", "canary*", "mine", ".*", g.victim.agent)
	case "after":
		return oneOf(g, g.victim.agent, g.victim.id, "notes/CANARY7f3a001", "f", "1", g.me.agent)
	case "view":
		return oneOf(g, "source", "rendered", "edit", "newer", "move", "delete", "trim", "compare")
	case "version", "current":
		return oneOf(g, "1", "2", "0")
	case "diff":
		return oneOf(g, "1..2", "2..1", "1..current", "0..9")
	case "as":
		return oneOf(g, "split", "unified", "exact", "regexp", "")
	case "do":
		return oneOf(g, "save", "restore", "move", "delete", "trim", "create", "rotate", "revoke")
	case "id", "revoke", "rotate", "author":
		return oneOf(g, g.key, g.key, "aaaaaaaa", "", "CANARY7f3a000")
	case "stamp":
		return strconv.FormatInt(time.Now().Unix(), 36) + "-" + fmt.Sprintf("%026d", g.Int64())
	case "agents", "agent":
		return oneOf(g, "*", g.victim.agent, g.me.agent)
	case "scopes":
		return oneOf(g, "read", "write", "admin", "metrics")
	case "path", "to", "prefix":
		return unescaped(g.path())
	case "order":
		return oneOf(g, "name", "size", "activity")
	case "kind", "ending", "name", "next", "token", "lifetime":
		return oneOf(g, "file", "log", "CRLF", "x", "/a/"+g.victim.agent, "30d")
	case "text-0", "text-1", "text-2":
		return oneOf(g, "mine", "mine too")
	case "overlap":
		return oneOf(g, "0", "1h")
	}
	return oneOf(g, "1", "2", "3", "0", "current", "100", "-1", "all")
}

func (g *prowler) agent() string {
	v := g.victim.agent
	if g.IntN(2) == 0 {
		return g.me.agent
	}
	return oneOf(g, v, v, v, "nobody", strings.ToUpper(v), v+"%00", "%2e%2e%2f"+v, v+"%2Fx", "*", v+"%20", g.me.agent+"%2c"+v, "..", "%E2%80%8B"+v)
}

func (g *prowler) path() string {
	if g.IntN(2) == 0 {
		return "own"
	}
	return oneOf(g, "made", "shared", "shared", "f", "notes/CANARY7f3a001", "CANARY7f3a901", "notes/x.md", "..%2f"+g.victim.agent+"%2Ff", "%2e%2e/"+g.victim.agent+"/shared", "own%00", "", "shared;v=1")
}

// hunt sends requests of a prowl, and returns what leaks. The victim looks at its memory
// meanwhile.
func (p prowl) hunt(t testing.TB, at string, routes []string, requests int, seed uint64, answered map[string]int) (leaks []string) {
	t.Helper()
	g := &prowler{rand.New(rand.NewPCG(seed, 5)), p.intruder.sit(t, at), p.victim.sit(t, at), p.victim.id, routes}
	if g.me.agent == "" {
		g.me.agent = "planner-y"
	}
	names := []string{g.victim.id}
	if p.intruder.tenant != p.victim.tenant {
		names = append(names, p.victim.tenant)
	} else if p.name != "admin alone" { // who sees the names of the agents and of the keys
		names = append(names, g.victim.agent)
	} else {
		names, g.key = nil, "aaaaaaaa"
	}
	before := g.victim.memory(t)
	every, _ := g.me.listen(t, "/events")
	for i := range requests {
		q := g.next()
		if i%25 == 0 {
			_, _, _ = g.victim.send(t, &try{method: "GET", path: "/a/" + g.victim.agent})
		}
		status, header, text := g.me.send(t, q)
		answered[q.route] = max(answered[q.route], 1)
		if status == http.StatusOK || status == http.StatusSeeOther && header.Get("Location") != "" && !strings.HasPrefix(header.Get("Location"), "/signin") {
			answered[q.route] = 2
		}
		sent, got := strings.ToLower(q.String()), strings.ToLower(fmt.Sprint(header, text))
		for _, name := range append(marksOf(got), names...) {
			if name = strings.ToLower(name); strings.Contains(got, name) && !strings.Contains(sent, name) && len(leaks) < 5 {
				leaks = append(leaks, fmt.Sprintf("%s is answered with %d and %s:\n%.2000s", q, status, name, got))
			}
		}
	}
	g.me = p.intruder.sit(t, at) // a request may have signed the intruder out
	if after := g.victim.memory(t); after != before {
		leaks = append(leaks, fmt.Sprintf("the victim's memory was\n%.2000s\nand is\n%.2000s", before, after))
	}
	return append(leaks, g.overhear(t, every, p.intruder.tenant == p.victim.tenant)...)
}

var markOf = regexp.MustCompile(`canary7f3a\d{3}`)

func marksOf(text string) []string { return markOf.FindAllString(text, -1) }

// memory returns what the victim sees of its memory.
func (s *sitter) memory(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	for _, page := range []string{"", "/changes", "/summaries", "/files/shared", "/raw/shared", "/raw/f", "/logs/shared", "/files/f?diff=1..2"} {
		path, query, _ := strings.Cut(page, "?")
		values, _ := url.ParseQuery(query)
		status, _, text := s.send(t, &try{method: "GET", path: "/a/" + s.agent + path, query: values})
		if status != http.StatusOK || !strings.Contains(text, "CANARY7f3a") && path != "/summaries" {
			t.Fatalf("the victim gets for its own %s: %d\n%s", page, status, text)
		}
		all.WriteString(text)
	}
	return all.String()
}

// An ear has what a stream of events says.
type ear struct {
	cancel func()
	said   chan string
}

// listen opens a stream of events. The status is another than 200 if there is none.
func (s *sitter) listen(t testing.TB, address string) (e *ear, status int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+address, nil)
	testkit.Must(t, err)
	r.Header.Set("Cookie", s.cookie)
	res, err := (&http.Client{Transport: s.web.Transport}).Do(r)
	testkit.Must(t, err)
	e = &ear{cancel, make(chan string, 1)}
	go func() {
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body) // until cancel
		e.said <- string(text)
	}()
	t.Cleanup(cancel)
	return e, res.StatusCode
}

var eventText = regexp.MustCompile(`^((event: (hello|change|end)\ndata: 1|:)\n\n)*$`)

// overhear returns what the intruder's streams of events should not have said. A store may
// tell everybody that somebody has written, but not who.
func (g *prowler) overhear(t testing.TB, every *ear, mates bool) (leaks []string) {
	t.Helper()
	every.cancel()
	if text := <-every.said; !eventText.MatchString(text) && !strings.Contains(text, "scope read") {
		leaks = append(leaks, "the events are "+text)
	}
	e, status := g.me.listen(t, "/events?agent="+g.victim.agent)
	e.cancel()
	if <-e.said; status == http.StatusOK && mates {
		leaks = append(leaks, "the intruder gets the events of the victim's agent")
	}
	return leaks
}

// consoleRoutes are the routes of the console.
func consoleRoutes(t testing.TB) []string {
	t.Helper()
	h, err := console.New(console.Options{People: struct{ console.People }{}})
	testkit.Must(t, err)
	return h.Routes()
}

// Generated requests for the pages show nothing of what a person's key does not allow, and
// change nothing of it: not to the person, and not to whoever reads the log and the metrics.
func TestIntruderAtTheConsole(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	c, traces := newCast(t, db), traced(t)
	metrics := c.key("watchers", "", auth.Metrics, "*").credential
	prowls, fills := c.prowls()
	r := serve(t, "--db", db, "--debug", "--rate", "0", "--rate-agent", "0")
	for _, d := range fills {
		d.fight(t, r.url, 0, 1)
	}
	routes, answered := consoleRoutes(t), map[string]int{}
	for _, p := range prowls {
		for _, leak := range p.hunt(t, r.url, routes, testkit.Pick(50, 600, 20_000), 7, answered) {
			t.Errorf("%s: %s", p.name, leak)
		}
	}
	for _, route := range routes {
		if testkit.Long() && answered[route] < 2 && route != "/" && !strings.HasSuffix(route, "/static/{name}") && route != "POST /signout" {
			t.Errorf("no request for %s succeeds: the requests prove little", route)
		}
	}
	_, seen := r.get(t, "/metrics", metrics)
	r.stop(t)
	c.checkShown(t, r.log, seen, traces)
}

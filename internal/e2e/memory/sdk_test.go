package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

type m = map[string]any

// A client is an SDK. Methods, parameters and members of answers have the names that they
// have in the SDK for TypeScript and on the wire. The method all is list with the SDK's own
// paging. It returns the items.
type client interface {
	call(t *testing.T, method, id string, params m) (any, *fault)

	// as returns the same client with another key, and how often it sends a request again.
	as(key string, retries int) client
}

// A fault is an error as an SDK shows it.
type fault struct {
	Status  int // 0 if there was no answer
	Type    string
	Class   string // of the error in TypeScript
	Message string
	Request string // the id of the request
	Body    m

	raw string
}

// A sdk is one of the official ones. What it sends is part of what it is.
type sdk struct {
	name    string
	start   func(t *testing.T, base, key string) client
	version string // its header anthropic-version
	bearer  bool   // the key is in Authorization, not in X-Api-Key
	query   bool   // ?beta=true
	careful bool   // it does not repeat a create whose answer was lost
	classes bool   // it has a class for each status
}

// retries is how often each SDK sends a request again, unless it is told otherwise.
const retries = 2

var sdks = []sdk{
	{name: "anthropic-sdk-go v1", start: newGoOne, version: "2023-06-01", query: true},
	{name: "anthropic-sdk-go v2", start: newGoTwo, version: "2026-10-21", bearer: true, careful: true},
	{name: "@anthropic-ai/sdk 0.137", start: newTypeScript("anthropic-sdk-0"), version: "2023-06-01", query: true, classes: true},
	{name: "@anthropic-ai/sdk 1.12", start: newTypeScript("@anthropic-ai/sdk"), version: "2026-10-21", bearer: true, classes: true},
}

// A session is a client with a key of all agents of a tenant of its own.
type session struct {
	*testing.T
	client
	sdk
	server *server
	front  *front
	tenant string
	key    string // its id
}

// TestSDKs runs the same session with each SDK, at one server.
func TestSDKs(t *testing.T) {
	s := startServer(t, t.TempDir()+"/team.db")
	for i, k := range sdks {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			runSession(t, s, k, fmt.Sprintf("tenant-%d", i))
		})
	}
}

// TestPostgreSQL runs the session with one SDK, at a server over PostgreSQL.
func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	runSession(t, startServer(t, pgtest.URL(t)), sdks[1], "tenant")
}

// runSession runs the steps of a session, for a new tenant of a server.
func runSession(t *testing.T, s *server, k sdk, tenant string) {
	id, key := s.createKey(t, tenant, "--agents", "*")
	f := newFront(t, s.url)
	c := k.start(t, f.url, key)
	for _, step := range []struct {
		name string
		run  func(*session)
	}{
		{"sent", (*session).sent}, {"stores", (*session).stores}, {"archive", (*session).archive}, {"memories", (*session).memories},
		{"preconditions", (*session).preconditions}, {"conflicts", (*session).conflicts}, {"list", (*session).list}, {"versions", (*session).versions},
		{"redaction", (*session).redaction}, {"refused", (*session).refusals}, {"keys", (*session).keys}, {"lost answers", (*session).lost},
	} {
		t.Run(step.name, func(t *testing.T) {
			f.take()
			step.run(&session{t, c, k, s, f, tenant, id})
		})
	}
}

// A server is scratchpad serve.
type server struct{ db, url string }

// ofOthers is the name of a store that another tenant has.
const ofOthers = "of-others"

// startServer starts a server over a new database, which is a file or a URL of PostgreSQL.
func startServer(t *testing.T, db string) *server {
	t.Helper()
	s := &server{db: db}
	_, key := s.createKey(t, "others", "--agents", "*") // from now on nobody is served without a key
	s.url = strings.TrimSuffix(process.Serve(t, scratchpadPath, "--db", s.db, "--rate", "10000:10000", "--rate-agent", "10000:10000", "--paths", "unicode"), "/mcp")
	if _, err := newGoTwo(t, s.url, key).call(t, "create", "", m{"name": ofOthers}); err != nil {
		t.Fatalf("a store of others: %+v", *err)
	}
	return s
}

func (s *server) createKey(t *testing.T, tenant string, flags ...string) (id, key string) {
	t.Helper()
	var created struct{ ID, Key string }
	text := process.Run(t, scratchpadPath, append([]string{"keys", "create", "--db", s.db, "--tenant", tenant, "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		t.Fatalf("keys create --json printed %q: %v", text, err)
	}
	return created.ID, created.Key
}

// do calls a method that must succeed.
func (s *session) do(method, id string, params m) m {
	s.Helper()
	got, err := s.call(s.T, method, id, params)
	if err != nil {
		s.Fatalf("%s %s %v: %+v", method, id, params, *err)
	}
	return got.(m)
}

// all returns what the SDK lists, page by page.
func (s *session) all(method, id string, params m) (items []m) {
	s.Helper()
	got, err := s.call(s.T, method, id, params)
	if err != nil {
		s.Fatalf("%s %s %v: %+v", method, id, params, *err)
	}
	for _, item := range got.([]any) {
		items = append(items, item.(m))
	}
	return items
}

var classes = map[int]string{400: "BadRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError", 404: "NotFoundError", 409: "ConflictError", 429: "RateLimitError"}

// fails calls a method that must fail so, at the first request. It returns the body's error.
func (s *session) fails(status int, kind, method, id string, params m) m {
	s.Helper()
	s.front.take()
	got, err := s.call(s.T, method, id, params)
	if err == nil {
		s.Fatalf("%s %s %v = %v, want %d %s", method, id, params, got, status, kind)
	}
	inner, _ := err.Body["error"].(m)
	text, _ := inner["message"].(string)
	if err.Status != status || err.Type != kind || inner["type"] != kind || err.Body["type"] != "error" || text == "" {
		s.Errorf("%s %s %v: %+v, want %d %s with a message", method, id, params, *err, status, kind)
	}
	if err.Request == "" || err.Request != err.Body["request_id"] {
		s.Errorf("%s: the request's id is %q in the header and %v in the body", method, err.Request, err.Body["request_id"])
	}
	if s.classes && err.Class != classes[status] {
		s.Errorf("%s: the error is a %s, want %s", method, err.Class, classes[status])
	}
	if sent := s.front.take(); len(sent) != 1 {
		s.Errorf("%s: %d requests, want 1: %d is final", method, len(sent), status)
	} else if status == 409 && sent[0].answer.Get("X-Should-Retry") != "false" {
		s.Errorf("%s: X-Should-Retry %q with 409, want false", method, sent[0].answer.Get("X-Should-Retry"))
	}
	return inner
}

// newStore creates a store and returns its id.
func (s *session) newStore() string {
	s.Helper()
	return s.do("create", "", m{"name": "notes"})["id"].(string)
}

// write creates a memory and returns it.
func (s *session) write(store, path, content string) m {
	s.Helper()
	return s.do("memories.create", store, m{"path": path, "content": content, "view": "full"})
}

// like fails the test if an answer has other members than these. The times are checked as
// times only, by their names.
func (s *session) like(got, want m) {
	s.Helper()
	have := m{}
	for key, value := range got {
		if text, ok := value.(string); ok && strings.HasSuffix(key, "_at") {
			s.parse(text)
			if _, pinned := want[key]; !pinned {
				continue
			}
		}
		have[key] = value
	}
	if diff := cmp.Diff(want, have); diff != "" {
		s.Errorf("(-want +got)\n%s", diff)
	}
}

func (s *session) parse(text any) time.Time {
	s.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil || time.Since(at).Abs() > time.Hour {
		s.Errorf("time %v: %v, want one of now", text, err)
	}
	return at
}

func sum(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

// expect is the precondition that the content is this.
func expect(content string) m { return m{"type": "content_sha256", "content_sha256": sum(content)} }

// paths returns the paths of items, with the number of bytes of memories of the full view.
func paths(items []m) (list []string) {
	for _, item := range items {
		list = append(list, item["path"].(string))
	}
	return list
}

// sent checks that what the SDK sends is what its generation sends, so that the server is
// known to take both.
func (s *session) sent() {
	s.do("list", "", m{"limit": 3})
	r := s.front.take()[0]
	for name, want := range map[string]bool{"Authorization": s.bearer, "X-Api-Key": !s.bearer} {
		if have := r.header.Get(name) != ""; have != want {
			s.Errorf("the SDK sends %s: %v, want %v", name, have, want)
		}
	}
	if have := r.header.Get("anthropic-version"); have != s.version {
		s.Errorf("anthropic-version: %s, want %s", have, s.version)
	}
	if have := r.query.Get("beta") == "true"; have != s.query {
		s.Errorf("query %v, want beta=true: %v", r.query, s.query)
	}
	if have := r.header.Get("anthropic-beta"); have != "agent-memory-2026-07-22" {
		s.Errorf("anthropic-beta: %s", have)
	}
}

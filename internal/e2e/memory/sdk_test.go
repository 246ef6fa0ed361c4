package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// module is the folder of Scratchpad's own module, and clients that of package-lock.json.
var module, clients = filepath.Join("..", "..", ".."), ".."

// What TestMain has built and installed.
var (
	scratchpadPath string // the real binary
	nodePath       string // Node 22
)

func TestMain(m *testing.M) {
	process.Main(m, module, &scratchpadPath, func() (err error) {
		if err = process.InstallNPM(clients); err == nil {
			nodePath, err = process.Node(clients)
		}
		return err
	})
}

type m = map[string]any

// A client is an SDK. Methods, parameters and members of answers have the names that they
// have in the SDK for TypeScript and on the wire. The method all is list with the SDK's own
// paging. It returns the items.
type client interface {
	call(t *testing.T, method, id string, params m) (any, *fault)
}

// A fault is an error as an SDK shows it.
type fault struct {
	Status  int // 0 if there was no answer
	Type    string
	Class   string // of the error in TypeScript
	Message string
	Request string // the id of the request
	Body    m
}

// A sdk is one of the official ones.
type sdk struct {
	name    string
	start   func(t *testing.T, base, key string) client
	careful bool // it does not repeat a create whose answer was lost
	classes bool // it has a class for each status
}

var sdks = []sdk{
	{name: "anthropic-sdk-go", start: newGo, careful: true},
	{name: "@anthropic-ai/sdk", start: newTypeScript, classes: true},
}

// A session is a client with a key of all agents of a tenant of its own.
type session struct {
	*testing.T
	client
	sdk
	front *front
	key   string // its id
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

// runSession runs the steps of a session, for a new tenant of a server.
func runSession(t *testing.T, s *server, k sdk, tenant string) {
	id, key := s.createKey(t, tenant, "--agents", "*")
	f := newFront(t, s.url)
	c := k.start(t, f.url, key)
	for _, step := range []struct {
		name string
		run  func(*session)
	}{
		{"stores", (*session).stores}, {"memories", (*session).memories}, {"preconditions", (*session).preconditions},
		{"list", (*session).list}, {"versions", (*session).versions}, {"lost answers", (*session).lost},
	} {
		t.Run(step.name, func(t *testing.T) {
			f.take()
			step.run(&session{t, c, k, f, id})
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
	if _, err := newGo(t, s.url, key).call(t, "create", "", m{"name": ofOthers}); err != nil {
		t.Fatalf("a store of others: %+v", *err)
	}
	return s
}

func (s *server) createKey(t *testing.T, tenant string, flags ...string) (id, key string) {
	t.Helper()
	return process.NewKey(t, scratchpadPath, s.db, append(flags, "--tenant", tenant)...)
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

// A front stands between an SDK and the server. It records what passes, and may lose an
// answer. Clients find the API below a path, as behind a gateway.
type front struct {
	url string

	mu       sync.Mutex
	requests []request
	losing   bool // the next answer
}

const frontPath = "/team/memory"

// A request is one that an SDK has sent, with the status of its answer.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         string
	status       int
	answer       http.Header
}

func newFront(t *testing.T, server string) *front {
	t.Helper()
	target, err := url.Parse(server)
	testkit.Must(t, err)
	f := &front{}
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorLog: log.New(io.Discard, "", 0), // of answers that it lost
		ModifyResponse: func(res *http.Response) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			last := &f.requests[len(f.requests)-1]
			last.status, last.answer = res.StatusCode, res.Header.Clone()
			if f.losing {
				f.losing = false
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	}
	server2 := httptest.NewUnstartedServer(http.StripPrefix(frontPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		f.mu.Lock()
		f.requests = append(f.requests, request{method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), header: r.Header.Clone(), body: string(body)})
		f.mu.Unlock()
		proxy.ServeHTTP(w, r)
	})))
	server2.Config.ErrorLog = proxy.ErrorLog
	server2.Start()
	t.Cleanup(server2.Close)
	f.url = server2.URL + frontPath
	return f
}

// loseNext makes the front close the connection in place of the next answer. By then the
// server has worked.
func (f *front) loseNext() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.losing = true
}

// take returns the requests since the last take.
func (f *front) take() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.requests
	f.requests = nil
	return taken
}

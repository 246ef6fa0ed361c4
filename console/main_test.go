package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// people know sessions by the person's name, which is also the credential.
type people map[string]console.Person

var peopleMu sync.Mutex // guards all people

func (p people) Person(_ context.Context, session string) (console.Person, error) {
	peopleMu.Lock()
	defer peopleMu.Unlock()
	if who, ok := p[session]; ok {
		return who, nil
	}
	if who, ok := p[""]; ok {
		return who, nil
	}
	return console.Person{}, console.ErrSignedOut
}

func (p people) SignIn(_ context.Context, credential string) (string, time.Time, error) {
	peopleMu.Lock()
	defer peopleMu.Unlock()
	if _, ok := p[credential]; ok && credential != "" {
		return credential, time.Now().Add(time.Hour), nil
	}
	return "", time.Time{}, console.ErrRefused
}

func (p people) SignOut(_ context.Context, session string) error {
	peopleMu.Lock()
	defer peopleMu.Unlock()
	delete(p, session)
	return nil
}

// everybody may do everything with all agents of a service.
func everybody(svc *workspace.Service) console.Person {
	return console.Person{
		ID: "ada", Name: "Ada", Key: "k1", Read: true, Write: true, Admin: true, Metrics: true,
		Agents: []string{"*"}, Allow: func(string) bool { return true }, Service: svc,
	}
}

// newService returns a service over a store in memory.
func newService(t *testing.T) *workspace.Service {
	t.Helper()
	svc := must(workspace.New(memstore.New(), workspace.Options{Paths: workspace.UnicodePaths}))(t)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	return svc
}

// sample returns some hostile texts and names, and all of them in the long proofs.
func sample() (some []hostile.Case) {
	for i, c := range hostile.All() {
		if testkit.Long() || i%5 == 0 {
			some = append(some, c)
		}
	}
	return some
}

// must returns a value, or ends the test with the error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.Must(t, err)
		return value
	}
}

// patience is how long a test waits for what should come in a moment.
const patience = time.Minute

// A browser keeps cookies and follows redirects, as a person's browser does. It sends what
// browsers send with a request of the same site.
type browser struct {
	t      *testing.T
	client *http.Client
	url    string
}

// open serves a console, and returns a browser that has signed in as a person.
func open(t *testing.T, o console.Options, credential string) *browser {
	t.Helper()
	return visit(t, serve(t, o), credential)
}

// visited serves a console over a service, and returns a browser that has signed in as Ada, who may
// do everything.
func visited(t *testing.T, svc *workspace.Service) (*workspace.Service, *browser) {
	t.Helper()
	return svc, open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
}

// serve serves a console, and returns its address.
func serve(t *testing.T, o console.Options) string {
	t.Helper()
	h := must(console.New(o))(t)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// visit returns another browser.
func visit(t *testing.T, address, credential string) *browser {
	t.Helper()
	jar := must(cookiejar.New(nil))(t)
	b := &browser{t, &http.Client{Jar: jar, Timeout: patience}, address}
	if credential != "" {
		if status, page := b.post("/signin", url.Values{"key": {credential}}); status != http.StatusOK {
			t.Fatalf("sign in: %d\n%s", status, page)
		}
	}
	return b
}

// get returns a page.
func (b *browser) get(path string) (status int, page string) {
	b.t.Helper()
	return b.do(http.MethodGet, path, nil)
}

// post sends a form.
func (b *browser) post(path string, form url.Values) (status int, page string) {
	b.t.Helper()
	return b.do(http.MethodPost, path, form)
}

// submit sends a form with the token of the page where the form is.
func (b *browser) submit(page, path string, form url.Values) (status int, answer string) {
	b.t.Helper()
	_, text := b.get(page)
	form.Set("token", tokenOf(b.t, text))
	return b.post(path, form)
}

func (b *browser) do(method, path string, form url.Values) (status int, page string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	testkit.Must(b.t, err)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.roundTrip(r)
}

func (b *browser) roundTrip(r *http.Request) (status int, page string) {
	b.t.Helper()
	answer, err := b.client.Do(r)
	testkit.Must(b.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	testkit.Must(b.t, err)
	return answer.StatusCode, string(text)
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

func tokenOf(t *testing.T, page string) string {
	t.Helper()
	m := tokenField.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no token:\n%s", page)
	}
	return m[1]
}

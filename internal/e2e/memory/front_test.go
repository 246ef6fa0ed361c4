package memory

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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

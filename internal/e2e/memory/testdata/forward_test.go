package environments

// The simulated server of these tests keeps its memories in a real one. What the tests
// arrange is written to the real server before it works, and what it holds afterwards is
// what the tests look at. Requests and answers pass as they are, but for the ids: the tests
// pin those of stores, and memID makes those of memories.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
)

// A realStore is the store that stands behind a memoryServer.
type realStore struct {
	id   string
	held map[string]realMemory // by path, without the first slash
}

type realMemory struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Content string `json:"content"`
}

var realStores sync.Map // by *memoryServer

func (m *memoryServer) real() *realStore {
	if s, ok := realStores.Load(m); ok {
		return s.(*realStore)
	}
	s := &realStore{held: map[string]realMemory{}}
	var made struct{ ID string }
	m.must(http.MethodPost, "/v1/memory_stores", map[string]any{"name": "notes"}, &made)
	s.id = made.ID
	realStores.Store(m, s)
	return s
}

// ask sends a request to the real server.
func (m *memoryServer) ask(method, path string, header http.Header, body []byte) (*http.Response, []byte) {
	r, err := http.NewRequest(method, os.Getenv("MEMORY_SERVER")+path, bytes.NewReader(body))
	require.NoError(m.t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Del("Accept-Encoding")
	r.Header.Set("X-Api-Key", os.Getenv("MEMORY_KEY"))
	res, err := http.DefaultClient.Do(r)
	require.NoError(m.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(m.t, err)
	return res, text
}

func (m *memoryServer) must(method, path string, body, into any) {
	text, err := json.Marshal(body)
	require.NoError(m.t, err)
	header := http.Header{"Content-Type": {"application/json"}, "Anthropic-Version": {"2023-06-01"}, "Anthropic-Beta": {"agent-memory-2026-07-22"}}
	if body == nil {
		text = nil
	}
	res, text := m.ask(method, path, header, text)
	require.Equal(m.t, 200, res.StatusCode, "%s %s: %s", method, path, text)
	require.NoError(m.t, json.Unmarshal(text, into))
}

// push writes what the test has arranged in Files to the real server.
func (m *memoryServer) push(s *realStore) {
	root := "/v1/memory_stores/" + s.id + "/memories"
	for path, had := range s.held {
		if _, ok := m.Files[path]; !ok {
			var gone any
			m.must(http.MethodDelete, root+"/"+had.ID, nil, &gone)
			delete(s.held, path)
		}
	}
	for path, content := range m.Files {
		had, ok := s.held[path]
		switch {
		case !ok:
			m.must(http.MethodPost, root+"?view=full", map[string]any{"path": "/" + path, "content": content}, &had)
		case had.Content != content:
			m.must(http.MethodPost, root+"/"+had.ID+"?view=full", map[string]any{"content": content}, &had)
		default:
			continue
		}
		s.held[path] = had
	}
}

// pull puts what the real server holds into Files.
func (m *memoryServer) pull(s *realStore) {
	clear(s.held)
	for next := ""; ; {
		var page struct {
			Data []realMemory
			Next string `json:"next_page"`
		}
		m.must(http.MethodGet, "/v1/memory_stores/"+s.id+"/memories?view=full"+next, nil, &page)
		for _, memory := range page.Data {
			s.held[strings.TrimPrefix(memory.Path, "/")] = memory
		}
		if page.Next == "" {
			break
		}
		next = "&page=" + url.QueryEscape(page.Next)
	}
	clear(m.Files)
	for path, memory := range s.held {
		m.Files[path] = memory.Content
	}
}

// forward lets the real server answer. A lost answer is one that the client does not get.
func (m *memoryServer) forward(w http.ResponseWriter, r *http.Request, lose bool) {
	s := m.real()
	m.push(s)
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/memory_stores/"), "/")
	path := strings.Replace(r.URL.EscapedPath(), name, s.id, 1)
	real, fake := map[string]string{}, map[string]string{}
	for path, memory := range s.held {
		real[memID(path)], fake[memory.ID] = memory.ID, memID(path)
	}
	if i := strings.LastIndex(path, "/mem_"); i >= 0 {
		id, err := url.PathUnescape(path[i+1:])
		require.NoError(m.t, err)
		if known, ok := real[id]; ok {
			id = known
		}
		path = path[:i+1] + url.PathEscape(id)
	}
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	body, err := io.ReadAll(r.Body)
	require.NoError(m.t, err)
	res, text := m.ask(r.Method, path, r.Header, body)
	m.pull(s)
	if lose {
		panic(http.ErrAbortHandler)
	}
	for path, memory := range s.held { // with one that was made just now
		fake[memory.ID] = memID(path)
	}
	answer := string(text)
	for id, known := range fake {
		answer = strings.ReplaceAll(answer, fmt.Sprintf("%q", id), fmt.Sprintf("%q", known))
	}
	answer = strings.ReplaceAll(answer, fmt.Sprintf("%q", s.id), fmt.Sprintf("%q", name))
	if m.Noise && strings.HasPrefix(answer, `{"data":[`) {
		noise := `{"type":"memory_prefix","path":"/projects/"}`
		if !strings.HasPrefix(answer, `{"data":[]`) {
			noise += ","
		}
		answer = `{"data":[` + noise + strings.TrimPrefix(answer, `{"data":[`)
	}
	for header, values := range res.Header {
		if header != "Content-Length" && header != "Date" {
			w.Header()[header] = slices.Clone(values)
		}
	}
	w.WriteHeader(res.StatusCode)
	_, _ = io.WriteString(w, answer)
}

// holds lets the test hold an upload open or refuse it, and reports whether the upload has
// ended with that.
func (m *memoryServer) holds(w http.ResponseWriter, r *http.Request) bool {
	rel, ok := uploadTarget(r)
	if !ok {
		return false
	}
	m.mu.Lock()
	hook := m.uploadHook
	m.mu.Unlock()
	if hook != nil {
		hook(r.Context(), rel)
		if r.Context().Err() != nil {
			return true
		}
	}
	if m.FailUploads != 0 {
		statusJSON(w, m.FailUploads)
		return true
	}
	return false
}

// handleMemories takes the place of the function of this name. It fails where the test wants
// a failure, and writes down what the client asks for, as that one does.
func (m *memoryServer) handleMemories(w http.ResponseWriter, r *http.Request) {
	rest := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/v1/memory_stores/"), "/", 3)
	if rest[0] == "memstore_broken" {
		m.simulateMemories(w, r)
		return
	}
	if m.holds(w, r) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	require.NoError(m.t, err)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var in struct {
		Path, Content string
		Precondition  struct {
			ContentSha256 string `json:"content_sha256"`
		}
	}
	if len(body) > 0 {
		require.NoError(m.t, json.Unmarshal(body, &in))
	}
	upload, path := r.Method == http.MethodPost, ""
	if len(rest) == 3 {
		path = memIDPath(rest[2])
	}
	tooLarge := upload && m.MaxContentBytes > 0 && len(in.Content) > m.MaxContentBytes
	switch {
	case upload && len(rest) == 2:
		m.Received = append(m.Received, created(strings.TrimLeft(in.Path, "/"), in.Content))
	case upload:
		if m.OnUpdate != nil {
			m.OnUpdate()
		}
		m.Received = append(m.Received, "update "+path+" "+in.Content+" if="+in.Precondition.ContentSha256)
		if !tooLarge && m.FailUpdates {
			statusJSON(w, http.StatusInternalServerError)
			return
		}
	case r.Method == http.MethodDelete:
		m.Received = append(m.Received, "delete "+path+" if="+r.URL.Query().Get("expected_content_sha256"))
	case len(rest) == 3:
		m.ContentFetches = append(m.ContentFetches, path)
		if m.onFetch != nil {
			if code := m.onFetch(path); code != 0 {
				statusJSON(w, code)
				return
			}
		}
	}
	if tooLarge {
		statusJSON(w, http.StatusBadRequest)
		return
	}
	m.forward(w, r, upload && m.loseUploadResponses)
	if r.Method == http.MethodGet && len(rest) == 2 && m.onList != nil {
		m.onList()
	}
}

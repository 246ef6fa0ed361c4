package console

import (
	"embed"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
)

//go:embed static templates
var embedded embed.FS

// A Handler serves the pages. A Handler is safe for concurrent use.
type Handler struct {
	o       Options
	mux     *routes
	cross   *http.CrossOriginProtection
	assets  *assets
	pages   func() (pages, error)
	room    *admission.Semaphore
	counts  lineCounts
	beside  *admission.Semaphore // for what is shown beside the text of a form
	foreign *admission.Semaphore // for the forms of people who are not known
	finds   *admission.Semaphore // for searches, each of which takes 1
	sent    sentForms
	streams streams
	began   time.Time    // with a monotonic clock, unless Options.Now has none
	last    atomic.Int64 // when somebody was last seen, in nanoseconds after that
}

// New returns a Handler. The error is [workspace.ErrInvalid] if Options.People is nil.
func New(o Options) (*Handler, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	h := &Handler{o: o, mux: &routes{ServeMux: http.NewServeMux()}, cross: http.NewCrossOriginProtection()}
	shared := func(size int64) *admission.Semaphore { return admission.New(size, size/2) } // half of it for one person
	h.room, h.beside, h.foreign, h.finds = shared(roomBytes), shared(roomBytes), shared(foreignBytes), shared(maxFinds)
	if h.assets, err = readAssets(embedded); err != nil {
		return nil, err
	}
	h.pages = sync.OnceValues(h.parsePages) // a server that shows no page starts faster
	h.began = o.Now()
	h.route()
	return h, nil
}

// route has all routes. What is behind them finds out who sends a request, see visit.go.
func (h *Handler) route() {
	h.mux.Handle("GET /static/{name}", h.assets)
	h.mux.HandleFunc("GET /favicon.ico", h.assets.icon)
	h.mux.HandleFunc("GET /signin", h.signInPage)
	h.mux.HandleFunc("POST /signin", h.signIn)
	h.handle("POST /signout", h.signOut)
	h.handle("GET /{$}", h.agents)
	h.handle("GET /events", h.events)
	h.handle("GET /a/{agent}", h.agent)
	h.handle("GET /a/{agent}/changes", h.changes)
	h.handle("GET /a/{agent}/files/{path...}", h.file)
	h.handle("POST /a/{agent}/files/{path...}", h.changeFile)
	h.handle("GET /a/{agent}/new", h.newFile)
	h.handle("POST /a/{agent}/new", h.createFile)
	h.handle("GET /a/{agent}/raw/{path...}", h.raw)
	h.handle("GET /a/{agent}/logs/{path...}", h.log)
	h.handle("POST /a/{agent}/logs/{path...}", h.changeLog)
	h.handle("GET /a/{agent}/search", h.searchAgent)
	h.handle("GET /search", h.searchAll)
	h.handle("GET /a/{agent}/summaries", h.summaries)
	h.handle("GET /keys", h.keys)
	h.handle("POST /keys", h.changeKeys)
	h.handle("GET /health", h.health)
	h.mux.HandleFunc("/", h.notFound)
}

// routes is a mux that knows its patterns.
type routes struct {
	*http.ServeMux
	patterns []string
}

// Handle adds a route.
func (m *routes) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

// HandleFunc adds a route.
func (m *routes) HandleFunc(pattern string, serve http.HandlerFunc) { m.Handle(pattern, serve) }

// Routes returns the patterns of all routes for an [http.ServeMux], such as
// "GET /a/{agent}". Tests make requests from the patterns.
func (h *Handler) Routes() []string { return slices.Clone(h.mux.patterns) }

// handle adds a route for people who are known.
func (h *Handler) handle(pattern string, serve func(*visit) error) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, serve) })
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	h.seen()
	if err := h.cross.Check(r); err != nil {
		h.failPlain(w, r, http.StatusForbidden, "Another site has sent this request. Nothing was done.")
		return
	}
	if strings.Contains(r.URL.Path, "\x00") {
		h.notFound(w, r)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// seen notes that somebody was here.
func (h *Handler) seen() { h.last.Store(int64(h.o.Now().Sub(h.began))) }

package console

import (
	"cmp"
	"embed"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

//go:embed static templates
var embedded embed.FS

// A Handler serves the pages. A Handler is safe for concurrent use.
type Handler struct {
	o        Options
	mux      *http.ServeMux
	patterns []string // of the mux
	cross    *http.CrossOriginProtection
	assets   *assets
	pages    func() (pages, error)
	room     *admission.Semaphore
	beside   *admission.Semaphore // for what is shown beside the text of a form
	foreign  *admission.Semaphore // for the forms of people who are not known
	finds    *admission.Semaphore // for searches, each of which takes 1
	sent     sentForms
	streams  *admission.Semaphore // pages that wait for changes, each of which takes 1
	began    time.Time            // with a monotonic clock, unless Options.Now has none
	last     atomic.Int64         // when somebody was last seen, in nanoseconds after that
}

// New returns a Handler. The error is [workspace.ErrInvalid] if Options.People is nil.
func New(o Options) (*Handler, error) {
	if o.People == nil {
		return nil, fmt.Errorf("console: Options.People is nil: %w", workspace.ErrInvalid)
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &Handler{o: o, mux: http.NewServeMux(), cross: http.NewCrossOriginProtection()}
	shared := func(size int64) *admission.Semaphore { return admission.New(size, size/2) } // half of it for one person
	h.room, h.beside, h.finds = shared(roomBytes), shared(roomBytes), shared(maxFinds)
	h.foreign = admission.New(foreignBytes, foreignBytes/8) // an address is soon had
	h.streams = admission.New(maxStreams, maxPersonStreams)
	var err error
	if h.assets, err = readAssets(embedded); err != nil {
		return nil, err
	}
	h.pages = sync.OnceValues(h.parsePages) // a server that shows no page starts faster
	h.began = o.Now()
	h.route()
	return h, nil
}

// route has all routes. For most of them, serve in visit.go finds out who sends a request.
func (h *Handler) route() {
	h.handle("GET /static/{name}", h.assets.ServeHTTP)
	h.handle("GET /favicon.ico", h.assets.icon)
	for pattern, answer := range map[string]func(*visit) error{
		"GET /signin": (*visit).signInPage, "POST /signin": (*visit).signIn,
	} {
		h.handle(pattern, func(w http.ResponseWriter, r *http.Request) { _ = answer(&visit{h: h, w: w, r: r}) })
	}
	for pattern, answer := range map[string]func(*visit) error{
		"POST /signout":                   (*visit).signOut,
		"GET /{$}":                        (*visit).agents,
		"GET /events":                     (*visit).events,
		"GET /a/{agent}":                  ofAgent(toRead, (*visit).agent),
		"GET /a/{agent}/changes":          ofAgent(toRead, (*visit).changes),
		"GET /a/{agent}/files/{path...}":  (*visit).file,
		"POST /a/{agent}/files/{path...}": ofAgent(toChange, (*visit).changeFile),
		"GET /a/{agent}/new":              ofAgent(toChange, (*visit).newFile),
		"POST /a/{agent}/new":             ofAgent(toChange, (*visit).createFile),
		"GET /a/{agent}/raw/{path...}":    ofAgent(toRead, (*visit).raw),
		"GET /a/{agent}/logs/{path...}":   (*visit).log,
		"POST /a/{agent}/logs/{path...}":  ofAgent(toChange, (*visit).changeLog),
		"GET /a/{agent}/search":           ofAgent(toRead, (*visit).searchAgent),
		"GET /search":                     (*visit).searchAll,
		"GET /a/{agent}/summaries":        ofAgent(toRead, (*visit).summaries),
		"GET /keys":                       (*visit).keys,
		"POST /keys":                      (*visit).changeKeys,
		"GET /health":                     (*visit).health,
	} {
		h.handle(pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, answer) })
	}
	h.handle("/", h.notFound)
}

// handle adds a route.
func (h *Handler) handle(pattern string, serve http.HandlerFunc) {
	h.patterns = append(h.patterns, pattern)
	h.mux.HandleFunc(pattern, serve)
}

// Routes returns the patterns of all routes for an [http.ServeMux], such as
// "GET /a/{agent}", in ascending order. Tests make requests from the patterns.
func (h *Handler) Routes() []string { return slices.Sorted(slices.Values(h.patterns)) }

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

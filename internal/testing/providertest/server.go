package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
)

// A Call is a tool that the model asks for.
type Call struct {
	Name      string
	Arguments string // JSON; "" is {}
}

// A Reply is one answer of the model: its reasoning, its text and its calls, in this
// order. Each may be empty.
type Reply struct {
	Text     string
	Thinking string
	Calls    []Call

	// Status, if it is not 0, makes the reply an error with that status in the provider's
	// form. Text is its message. A client that tries again gets the next reply.
	Status int
}

// A Server is a fake provider. It is safe for concurrent use.
type Server struct {
	URL string // without a slash at the end

	http   *httptest.Server
	number int64                   // of this server in the process; it makes ids unique
	choose func(body []byte) Reply // nil: the next of replies

	mu       sync.Mutex // guards the fields below
	requests [][]byte
	replies  []Reply
	answered int // requests
}

// Close stops the server, and waits for running requests.
func (s *Server) Close() { s.http.Close() }

// Requests returns the bodies of all requests in order.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	bodies := make([][]byte, len(s.requests))
	for i, body := range s.requests {
		bodies[i] = append([]byte(nil), body...)
	}
	return bodies
}

// A dialect describes one API of a provider.
type dialect struct {
	answer  func(body []byte, from origin, r Reply) any
	failure func(status int, message string) any // the body of an error
}

// An origin names an answer of a server. It makes the ids in the answer unique.
type origin struct {
	server int64
	answer int
}

func (o origin) number() int { return int(o.server)*1_000_000 + o.answer }

var servers atomic.Int64

// start serves the routes. Their names are patterns of [http.ServeMux].
func start(choose func([]byte) Reply, replies []Reply, routes map[string]dialect) *Server {
	s := &Server{number: servers.Add(1), choose: choose, replies: replies}
	mux := http.NewServeMux()
	for pattern, d := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, d) })
	}
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, d dialect) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, body)
	s.mu.Unlock()
	var asks struct{ Stream bool }
	if json.Unmarshal(body, &asks) == nil && asks.Stream {
		write(w, http.StatusNotImplemented, d.failure(http.StatusNotImplemented,
			"providertest answers without streams: ask for no stream"))
		return
	}
	reply, from := s.next(body)
	if reply.Status != 0 {
		message := reply.Text
		if message == "" {
			message = http.StatusText(reply.Status)
		}
		write(w, reply.Status, d.failure(reply.Status, message))
		return
	}
	write(w, http.StatusOK, d.answer(body, from, reply))
}

// next returns the reply to a request.
func (s *Server) next(body []byte) (Reply, origin) {
	s.mu.Lock()
	s.answered++
	from := origin{s.number, s.answered}
	reply := Reply{Text: "That is all."}
	if s.choose == nil && len(s.replies) > 0 {
		reply, s.replies = s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	if s.choose != nil {
		reply = s.choose(body)
	}
	return reply, from
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client is gone
}

// arguments returns the JSON of a call.
func (c Call) arguments() string {
	if c.Arguments == "" {
		return "{}"
	}
	return c.Arguments
}

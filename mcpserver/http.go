package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

const (
	sessionTimeout = 30 * time.Minute // of a client with a handshake that says nothing
	bodyTimeout    = 10 * time.Second // for a body to arrive, and a second more for each MiB
	smallBody      = 64 << 10         // what has no part in the bound: connections bound it
	stateless      = "2026-07-28"     // the first protocol without sessions
)

// Handler returns an HTTP handler for MCP, to be mounted at a path of the
// caller's choice:
//
//	mux.Handle("/mcp", server.Handler())
//
// It serves the protocol of 2026-07-28, which has no sessions, and the earlier
// ones. A request of another origin that a browser sends is refused with 403, a
// body over 16 MiB with 413; large bodies of 64 MiB are worked on at once, others
// wait. It does not ask who is calling: a handler around it does, and puts what
// it found in the request's context. [Options].Workspace finds it there, of each
// request its own, also where a session is in the middle.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	logger := s.sdkLogger()
	now := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	streaming := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{ // so that progress comes before the answer
		Stateless: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	before := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, SessionTimeout: sessionTimeout,
	})
	eras := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isNow := r.Header.Get("Mcp-Protocol-Version") >= stateless || r.Header.Get("Mcp-Method") != ""
		switch {
		case isNow && r.Header.Get("Mcp-Name") == summarizeName && s.asksModel():
			streaming.ServeHTTP(w, r)
		case isNow:
			now.ServeHTTP(w, r)
		default:
			before.ServeHTTP(w, r)
		}
	})
	return sameOrigin(boundBodies(unambiguous(s.requests.handler(eras)), bodyTimeout))
}

// sameOrigin refuses what a page of another origin makes a browser send, reads
// too: MCP wants the Origin of every request looked at.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write := *r
		write.Method = http.MethodPost
		if err := protection.Check(&write); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// boundBodies lets requests wait while the large bodies of those before hold too
// much memory together. One that does not arrive in time gives its place up.
func boundBodies(next http.Handler, timeout time.Duration) http.Handler {
	inFlight := semaphore.NewWeighted(maxInFlight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		size := r.ContentLength
		if size < 0 || size > maxBody {
			size = maxBody // more is not read
		}
		if size > smallBody {
			if inFlight.Acquire(r.Context(), size) != nil {
				http.Error(w, "the request was given up while it waited", http.StatusServiceUnavailable)
				return
			}
			defer inFlight.Release(size)
		}
		deadline := http.NewResponseController(w).SetReadDeadline // an error where the server has none
		_ = deadline(time.Now().Add(timeout + time.Duration(size>>20)*timeout/10))
		r.Body = &timedBody{r.Body, func() { _ = deadline(time.Time{}) }}
		next.ServeHTTP(w, r)
	})
}

// timedBody lifts the deadline when it has been read: the answer may take longer.
type timedBody struct {
	io.ReadCloser
	lift func()
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.lift()
	}
	return n, err
}

// requests knows the HTTP requests under way. In a session the SDK calls with the
// context of the request that began it; whose call it is says the one that brought it.
type requests struct {
	next atomic.Uint64
	open sync.Map // the number of a request to its context
}

const requestHeader = "Scratchpad-Request" // from handler to context, whatever the client sent

func (q *requests) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strconv.FormatUint(q.next.Add(1), 10)
		q.open.Store(id, r.Context())
		defer q.open.Delete(id)
		numbered := *r
		numbered.Header = r.Header.Clone()
		numbered.Header.Set(requestHeader, id)
		next.ServeHTTP(w, &numbered)
	})
}

// context returns ctx with the values of the request that has the header.
func (q *requests) context(ctx context.Context, header http.Header) context.Context {
	if r, ok := q.open.Load(header.Get(requestHeader)); ok {
		return valuesOf{ctx, r.(context.Context)}
	}
	return ctx
}

// valuesOf is a context with the values of another before its own.
type valuesOf struct {
	context.Context
	values context.Context
}

func (v valuesOf) Value(key any) any {
	if value := v.values.Value(key); value != nil {
		return value
	}
	return v.Context.Value(key)
}

// unambiguous refuses a message that two decoders could read differently.
func unambiguous(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1)) // the SDK says what is wrong with a longer one
		if err == nil && len(body) <= maxBody {
			err = checkMembers(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		again := *r
		again.Body = struct {
			io.Reader
			io.Closer
		}{bytes.NewReader(body), r.Body}
		next.ServeHTTP(w, &again)
	})
}

func checkMembers(body []byte) error {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) || body[0] != '{' {
		return nil // the SDK says so
	}
	fields, problem := members(body)
	if problem == "" {
		problem = ambiguous(fields)
	}
	if problem != "" {
		return errors.New("the message has " + problem)
	}
	return nil
}

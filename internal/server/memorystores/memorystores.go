package memorystores

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New]. All but Logger must be there.
type Options struct {
	Door *access.Door // to the memory of each tenant

	// Admit counts a call for an agent that its caller may use. If there were too many, ok is
	// false, and retryAfter says when to try again.
	Admit func(ctx context.Context, tenant, agent string) (retryAfter time.Duration, ok bool)

	// Around runs when a call begins, and the function that it returns when the call has
	// ended. The call works with the context that it returns. The Tool of a call is one of
	// [Operations], or "" if there is no such route.
	Around func(context.Context, mcpserver.Call) (context.Context, func(mcpserver.Outcome))

	// RequestID returns the number of the request of a context, for errors.
	RequestID func(context.Context) string

	Logger *slog.Logger // gets errors that clients are not told; nil: slog.Default
}

const (
	roomBytes = 32 << 20         // for the bodies and answers of all calls together
	callTime  = 30 * time.Second // for a call, after its body has arrived
	roomTime  = 5 * time.Second  // for memory, or for a place among the scans
	scans     = 2                // lists of versions of all memories, made at the same time; half of them of one tenant
)

// Handler serves the API. It is safe for concurrent use.
type Handler struct {
	o       Options
	room    *admission.Semaphore
	scans   *admission.Semaphore // of lists that look at all files of a store
	origins *http.CrossOriginProtection
	created created
}

// New returns a handler for /v1/memory_stores and all paths below it.
func New(o Options) *Handler {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return &Handler{
		o: o, room: admission.New(roomBytes, roomBytes/2), scans: admission.New(scans, scans/2),
		origins: http.NewCrossOriginProtection(),
	}
}

// A call is a request under way. Its goroutine alone uses it.
type call struct {
	h     *Handler
	r     *http.Request
	ctx   context.Context
	route *route
	agent string   // that the path names; "": none
	rest  []string // what the path names after that

	caller auth.Caller
	svc    *workspace.Service // of the caller's tenant
	query  map[string]string  // the parameters, each with its one value
	body   []byte
	wrong  error             // what is wrong with the query or the fields of the body; nil: nothing so far
	group  string            // whose parts count together: the tenant
	parts  []*admission.Part // of memory
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{h: h, r: r, group: "nobody"}
	defer func() {
		for _, part := range c.parts {
			part.Leave()
		}
	}()
	none := c.findRoute()
	seen := mcpserver.Call{AgentID: c.agent}
	if c.route != nil {
		seen.Tool = c.route.name
	}
	around, end := h.o.Around(r.Context(), seen)
	outcome := mcpserver.Outcome{Err: errPanic}
	defer func() { end(outcome) }()
	c.ctx = around
	if known, ok := auth.FromContext(around); ok {
		c.group = "tenant " + known.Tenant
	}
	answer, err := c.answer(w, none)
	outcome = mcpserver.Outcome{BytesIn: int64(len(c.body))}
	status := http.StatusOK
	if err != nil {
		f := h.explain(c.ctx, err)
		f.head(w.Header())
		status, answer = f.status, []byte(f.error.JSON(h.o.RequestID(r.Context())))
		outcome.Err = f
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	left := int64(len(answer))
	for _, part := range c.parts {
		left -= part.Shrink(left)
	}
	w.WriteHeader(status)
	n, err := w.Write(answer)
	if outcome.BytesOut = int64(n); err != nil && outcome.Err == nil {
		outcome.Err = context.Canceled // the client has left
	}
}

// answer returns the body of the answer. none is why there is no route; nil: there is one.
func (c *call) answer(w http.ResponseWriter, none error) ([]byte, error) {
	read := c.readBody(w)
	if err := cmp.Or(c.checkOrigin(), none, read, c.checkBetas()); err != nil {
		return nil, err
	}
	if err := c.checkCaller(); err != nil {
		return nil, err
	}
	if err := c.readQuery(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, callTime)
	defer cancel()
	c.ctx = ctx
	var err error
	if c.svc, err = c.h.o.Door.Tenant(ctx, c.caller.Tenant); err != nil {
		return nil, err
	}
	answer, err := c.route.run(c)
	if err != nil {
		return nil, err
	}
	line, err := strictjson.Line(answer)
	return []byte(line + "\n"), err
}

// take waits for room for some bytes, which the call keeps until its answer is written. A
// caller that is known must be the same after it, with the same rights.
func (c *call) take(bytes int64) error {
	part, err := c.takeSoon(c.h.room, bytes, "the other requests of your tenant take all the memory that one tenant "+
		"may have; try again", "the server is at its memory limit; try again")
	if err != nil {
		return err
	}
	c.parts = append(c.parts, part)
	if c.caller.ID == "" {
		return nil
	}
	was := c.caller
	if err := c.checkCaller(); err != nil {
		return err
	}
	if !slices.Equal(was.Agents.Patterns(), c.caller.Agents.Patterns()) {
		return fail(http.StatusForbidden, "what your key may do has changed; send the request again")
	}
	return nil
}

// takeSoon waits for a part for the tenant, but not for long. The texts are those of the errors:
// mine if the tenant has its share, and else others.
func (c *call) takeSoon(of *admission.Semaphore, weight int64, mine, others string) (*admission.Part, error) {
	ctx, cancel := context.WithTimeout(c.ctx, roomTime)
	defer cancel()
	switch part, err := of.Take(ctx, c.group, weight); err {
	case nil:
		return part, nil
	case admission.ErrShare:
		return nil, fail(http.StatusTooManyRequests, "%s", mine).retry(time.Second)
	}
	return nil, fail(http.StatusServiceUnavailable, "%s", others).retry(time.Second)
}

// giveBack gives back what the last take has taken.
func (c *call) giveBack() {
	if n := len(c.parts); n > 0 {
		c.parts[n-1].Leave()
		c.parts = c.parts[:n-1]
	}
}

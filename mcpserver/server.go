package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New].
type Options struct {
	// Workspace names the agent of a call. Its error is the answer to the call, if
	// it wraps a kind of package workspace such as [workspace.ErrInvalid]; any other
	// is for the server's log, and the answer says so. It is called by many
	// goroutines.
	Workspace func(context.Context, Call) (*workspace.Workspace, error)

	// Bound says that Workspace knows the agent without being told: the tools do
	// not ask for agent_id. Where a call gives one all the same, Workspace must
	// refuse any but the agent's own.
	Bound bool

	// Caller names who sends an HTTP request, from its context. "" means that the
	// caller is unknown, and gets no session. nil: the caller is the UserID of the
	// token that package auth of the SDK has verified. Requests without a token, and
	// those whose token has no UserID, are then one caller together, who may have as
	// many sessions as there are in all. It is called by many goroutines.
	Caller func(context.Context) string

	// Summarizer is that of the workspaces' Service, and adds the tool
	// summarize_file; nil: there is none.
	Summarizer *workspace.Summarizer

	// Memory bounds, in bytes, what all calls hold together: requests, what is read
	// for them, diffs, and answers until they are written. A call that would exceed
	// it waits; one that alone is larger runs while no other large call does. 0: 64
	// MiB; the least is 1 MiB. The process takes up to about three times as much before
	// its garbage is collected, and more with thousands of connections unless a memory
	// limit is set (debug.SetMemoryLimit).
	Memory int64

	// MaxReadTokens bounds what the body of read_file costs a model, as
	// [workspace.ReadOptions.MaxTokens] counts; 0: no bound. Resources are read whole.
	MaxReadTokens int

	Version string        // of the server, for clients; "": "dev"
	Timeout time.Duration // of a call that touches storage, after which it is answered that the store is busy; 0: 30 s; 3 min at least where it waits for a model
	Logger  *slog.Logger  // of panics, of errors without a kind, and of the SDK's warnings; nil: slog.Default
}

// Call is what is asked for, before its agent is known.
type Call struct {
	Tool    string // of a tool call its name; else the method, "resources/read" or "completion/complete"
	AgentID string // a valid one that the call gives; "" where it gives none, which only happens when Bound
	Write   bool   // the tool changes something
}

// Server is an MCP server over workspaces. It is safe for concurrent use.
type Server struct {
	mcp      *mcp.Server
	o        Options
	budget   *budget
	requests requests
	sessions *sessions
	limits   limits
}

// limits are times that the tests shorten.
type limits struct{ body, answer time.Duration }

// New returns a server. Errors: [workspace.ErrInvalid].
func New(o Options) (*Server, error) {
	if o.Workspace == nil {
		return nil, fmt.Errorf("mcpserver: Options.Workspace is nil: %w", workspace.ErrInvalid)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("mcpserver: Options.Timeout is %v: %w", o.Timeout, workspace.ErrInvalid)
	}
	if o.MaxReadTokens < 0 {
		return nil, fmt.Errorf("mcpserver: Options.MaxReadTokens is %d: %w", o.MaxReadTokens, workspace.ErrInvalid)
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Memory < leastMemory {
		return nil, fmt.Errorf("mcpserver: Options.Memory is %d, the least is %d: %w", o.Memory, leastMemory, workspace.ErrInvalid)
	}
	sessions := newSessions()
	if o.Caller == nil {
		o.Caller, sessions.shared = tokenUser, unnamed
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{o: o, budget: newBudget(o.Memory), sessions: sessions, limits: limits{bodyTimeout, answerTimeout}}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "scratchpad", Version: o.Version}, &mcp.ServerOptions{
		Instructions:      instructions(o),
		Capabilities:      &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}, // neither list changes
		Logger:            s.sdkLogger(),
		CompletionHandler: s.complete,
		SetCacheable:      cacheable,
	})
	s.mcp.AddReceivingMiddleware(s.guard)
	for _, t := range tools(o) {
		s.add(t)
	}
	s.addResources()
	return s, nil
}

// instructions teach the cheap habits.
func instructions(o Options) string {
	who := ""
	if !o.Bound {
		who = " agent_id is the name that the user gave you: the same in every call, or you find nothing again."
	}
	long := "Of a long file read from_line to to_line."
	if o.Summarizer != nil {
		long = "Of a long file that you do not know, call summarize_file first, which costs little and says where things are; then read from_line to to_line."
	}
	return fmt.Sprintf(`Memory of your own that outlives this conversation: versioned files and append-only logs.%s
Keep it cheap:
- Every write_file and edit_file answers with the file's version. Remember it. To see what others changed, call read_file with since_version: you get a short diff, "unchanged", or the whole file where that is cheaper.
- Change a file with edit_file, which sends only what changes; write_file is for new files and full rewrites. Give if_version where a lost update would hurt.
- %s
- For notes that only grow use append_log. Page with read_log since_entry = the last last_entry_id you saw; tail for the last entries.
- list_files and list_logs show what there is; start with them when you do not know. Make room with delete_file and delete_log.
An error says what to do next.`, who, long)
}

// cacheable tells clients for how long an answer holds: what is the agent's, not
// at all and for nobody else; what the server is, for minutes.
func cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = 5*60*1000, "public"
	if _, ok := req.GetParams().(*mcp.ReadResourceParams); ok {
		c.TTLMs, c.CacheScope = 0, "private"
	}
}

// Run serves one client over a pair of streams, one JSON-RPC message a line,
// until the input ends or the context does; calls under way are still answered
// then, for as long as 5 seconds. A line that is no message gets an error, and
// the next is read. Nothing but MCP is written to out. Run closes in, not out;
// a write to out that nobody reads may outlive it, when the context has ended.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	conn := newLines(in, out, s, ctx)
	defer conn.forget()
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), conn, nil)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	defer context.AfterFunc(ctx, conn.stop)()
	ended := make(chan error, 1)
	go func() {
		err := session.Wait()
		session.Close()
		ended <- err
	}()
	select {
	case err = <-ended:
	case <-conn.ended:
		err = conn.leave(ended)
	}
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// Close ends the sessions that Handler has begun, after the calls under way, and gives
// back what they hold. Later requests begin new ones, so stop serving first.
func (s *Server) Close() { s.sessions.endAll() }

// guard stands before every method: a panic is an error of this call alone, and
// no error is long, whatever it was given.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.logPanic(method, v)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: internalError}
			}
		}()
		r, err := s.requests.of(req)
		if err != nil {
			return nil, err
		}
		leave, err := s.enter(r, method, req)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx, cancel := s.callContext(callContext{ctx, r}, method, req)
		defer cancel()
		res, err = next(ctx, method, req)
		if err != nil {
			err = briefError(err)
		}
		return res, err
	}
}

// enter keeps the charge and the session of a request for as long as its call runs,
// which may be longer than the request. A session begins here.
func (s *Server) enter(r *request, method string, req mcp.Request) (leave func(), err error) {
	charge := func() {}
	if r.charge != nil {
		if !r.charge.join() {
			return nil, errGone
		}
		charge = r.charge.leave
	}
	held := r.session
	switch {
	case !r.sessions:
		return charge, nil
	case held != nil:
		s.sessions.again(held)
	case method == "initialize":
		ss := req.GetSession().(*mcp.ServerSession)
		if held, err = s.sessions.begin(ss.ID(), r.caller, func() { ss.Close() }); err != nil {
			charge()
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
	}
	if held == nil {
		return charge, nil
	}
	return func() { s.sessions.release(held); charge() }, nil
}

// callContext returns the context of one call, with an end for what touches storage.
func (s *Server) callContext(ctx context.Context, method string, req mcp.Request) (context.Context, context.CancelFunc) {
	switch method {
	case "tools/call", "resources/read", "completion/complete":
		timeout := s.o.Timeout
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && p.Name == summarizeName && s.asksModel() {
			timeout = max(timeout, summaryTimeout)
		}
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, func() {}
}

// asksModel reports whether a summary may take as long as a model does.
func (s *Server) asksModel() bool { return s.o.Summarizer != nil && s.o.Summarizer.Remote }

func (s *Server) logPanic(where string, v any) {
	s.o.Logger.Error("panic", "in", where, "value", v, "stack", string(debug.Stack()))
}

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New].
type Options struct {
	// Workspace returns the workspace for a call. An error that wraps a kind of package
	// workspace, such as [workspace.ErrInvalid], is the answer to the call. Any other
	// error is logged, and the answer says no more than that. Many goroutines call it.
	Workspace func(context.Context, Call) (*workspace.Workspace, error)

	// Bound says that Workspace knows the agent: the tools do not ask for agent_id. If a
	// call gives an agent_id all the same, Workspace must refuse every name but the
	// agent's own.
	Bound bool

	// Brief returns what a client is told of its memory when it connects, behind the
	// instructions: what is there, in a few tokens. "": nothing. It has a second; what comes
	// later is not told. Many goroutines call it. nil: nothing is told.
	Brief func(context.Context) string

	// Caller names the sender of an HTTP request, from the request's context. "" means
	// that the caller is unknown, and gets no session. Many goroutines call it. nil: the
	// caller is the UserID of the token that package auth of the SDK has verified. All
	// requests without a token or a UserID then count as one caller, who may have all
	// sessions that there are.
	Caller func(context.Context) string

	// Summarizer is the Summarizer of the workspaces' Service. It adds the tool
	// summarize_file; nil: there is no such tool.
	Summarizer *workspace.Summarizer

	// Memory limits the bytes that all calls hold together: requests, the files and logs
	// that are read for them, diffs, and answers until they are written. A call that
	// would exceed it waits. A call that is larger by itself runs while no other large
	// call runs. 0: 64 MiB; the least is 1 MiB. The process takes up to about three
	// times as much before its garbage is collected. With thousands of connections it
	// takes more, unless a memory limit is set (debug.SetMemoryLimit).
	Memory int64

	// MaxReadTokens limits the tokens of the body of read_file, counted as for
	// [workspace.ReadOptions.MaxTokens]; 0: no limit. Resources are always read whole.
	MaxReadTokens int

	Version string       // of the server, for clients; "": "dev"
	Logger  *slog.Logger // for panics, for errors without a kind, and for warnings of the SDK; nil: slog.Default

	// Timeout limits the time of a call that reads or writes the store. After it the
	// answer is that the store is busy. 0: 30 seconds. A call that waits for a model has
	// at least 3 minutes.
	Timeout time.Duration
}

// Call is a call whose workspace is looked for.
type Call struct {
	Tool    string // the name of the tool, or else the method: "resources/read" or "completion/complete"
	AgentID string // the agent_id of the call, which is valid; "" if the call gives none, which only happens with Bound
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

// limits are times, which the tests shorten.
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
		SetCacheable:      s.cacheable,
	})
	s.mcp.AddReceivingMiddleware(s.guard)
	for _, t := range tools(o) {
		s.add(t)
	}
	s.addResources()
	return s, nil
}

// instructions teach a model how to use the tools cheaply.
func instructions(o Options) string {
	who := ""
	if !o.Bound {
		who = " agent_id is the name that the user gave you. Give the same one in every call, or you will not find your files again."
	}
	long := "Read a long file in parts, with from_line and to_line."
	if o.Summarizer != nil {
		long = "Before you read a long file that you do not know, call summarize_file: it costs little and says where things are. Then read from_line to to_line."
	}
	return fmt.Sprintf(`Memory of your own that outlives this conversation: versioned files and append-only logs.%s
Keep it cheap:
- Begin with changes: it lists what changed last, with a cursor. Later give that cursor as since to see what others changed meanwhile, and diffs to see how.
- Every write_file and edit_file answers with the file's version. Remember it. To see what others changed, call read_file with since_version: you get a short diff, "unchanged", or the whole file where that is cheaper.
- Change a file with edit_file, which sends only what changes, or appends; write_file is for new files and full rewrites. Give if_version where a lost update would hurt.
- %s
- For notes that only grow, use append_log. To see what is new, call read_log with since_entry = the last last_entry_id that you saw. tail gives the last entries.
- search finds where you wrote something, by words, "a phrase" and -word. list_files and list_logs show all there is. Make room with delete_file and delete_log.
An error says what to do next.`, who, long)
}

// cacheable tells clients how long they may keep an answer. An agent's content is never
// kept, and is private. What the server says about itself is kept for minutes, unless it
// says what is in a memory.
func (s *Server) cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = 5*60*1000, "public"
	switch req.GetParams().(type) {
	case *mcp.ReadResourceParams:
		c.TTLMs, c.CacheScope = 0, "private"
	case *mcp.DiscoverParams:
		if s.o.Brief != nil {
			c.TTLMs, c.CacheScope = 0, "private"
		}
	}
}

// Run serves one client over a pair of streams, with one JSON-RPC message a line, until
// the input or the context ends. After that it answers the calls under way, for at most
// 5 seconds. A line that is not a message gets an error, and Run goes on. It writes only
// MCP to out. Run closes in but not out. If the context ends while nobody reads out, a
// write to out may last longer than Run.
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

// Close waits for the calls under way and then ends the sessions that Handler has begun.
// Later requests begin new sessions, so stop serving first.
func (s *Server) Close() { s.sessions.endAll() }

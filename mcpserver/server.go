package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New].
type Options struct {
	// Workspace returns the workspace for a call. It must not be nil. If its error wraps a kind
	// of package workspace, such as [workspace.ErrInvalid], the client gets that error. Any
	// other error is logged, and the client gets "internal error". Many goroutines call
	// Workspace.
	Workspace func(context.Context, Call) (*workspace.Workspace, error)

	// Home returns a second workspace for a call of a tool. In the arguments of the tools for
	// files, paths that begin with "~/" are paths of that workspace. search lists its hits after
	// those of the caller's own workspace. Home returns nil if the second workspace would be the
	// caller's own. Home must check the Call as Workspace does, and its errors are treated in the
	// same way. [workspace.Workspace.From] marks writes to the result. Many goroutines call Home.
	// nil: there is no second workspace.
	Home func(context.Context, Call) (*workspace.Workspace, error)

	// Bound says that Workspace knows the agent of each caller. The tools then have no
	// argument agent_id. If a call gives an agent_id all the same, Workspace must refuse every
	// name but that of the caller's agent.
	Bound bool

	// IsBound replaces Bound, and decides for each request. Its context has the values of the
	// request's context. IsBound must be quick. A session keeps the list of tools with which it
	// began, but IsBound is called for each call. Many goroutines call IsBound. nil: Bound
	// holds for all requests.
	IsBound func(context.Context) bool

	// Brief describes the memory of a bound caller in a few tokens. A client that connects
	// gets the text after the instructions. Both together have at most 1,800 characters. The
	// server may cut the text after MaxBrief characters, at the end of a line. ctx ends after a
	// second. Brief must then return, and its text is dropped. "" adds nothing. Many
	// goroutines call Brief. nil: nothing is added.
	Brief func(context.Context) string

	// Admit decides whether a call over HTTP may go on, before the call takes memory. It is
	// called for each message that needs an answer. Its context has the values of the
	// request's context. Admit must be quick. The Call comes from the message: nobody has
	// checked that its agent belongs to the caller. If Admit returns a [*Busy], the answer has
	// status 429 and Retry-After; for any other error it has status 503. Both answers are
	// errors of JSON-RPC. Many goroutines call Admit. nil: all calls go on.
	Admit func(context.Context, Call) error

	// Around runs when a call begins, before Admit: for each message that needs an answer. The
	// Call comes from the message. The call runs with the values of the returned context, which
	// must derive from ctx. The returned function runs once, when the call is over: either the
	// answer is written, or the client has left and the tool has returned. Neither function may
	// panic. Many goroutines call both. nil: nothing runs.
	Around func(ctx context.Context, c Call) (context.Context, func(Outcome))

	// AroundWork runs before the part of a call that uses the workspace. That part may wait
	// for memory. ctx has the values of the context that Around returned. The part runs with
	// the returned context, which must derive from ctx. The returned function runs after the
	// part, with the error of the part. Neither function may panic. Many goroutines call both.
	// nil: nothing runs.
	AroundWork func(ctx context.Context, c Call) (context.Context, func(error))

	// Caller returns the name of the sender of an HTTP request, from the request's context. ""
	// stands for an unknown sender, who gets no session. Many goroutines call Caller. nil: the
	// name is the UserID of the token that package auth of the SDK has verified. All requests
	// without a token or a UserID then count as one sender, who may have all sessions.
	Caller func(context.Context) string

	// Group returns the name of a group of senders, such as a tenant, from the context of an
	// HTTP request. Requests of one group get at most half of the memory for requests that are
	// arriving. So a slow group does not keep others out. "" means no group. Many goroutines
	// call Group. nil: there are no groups.
	Group func(context.Context) string

	// Off says why there is no memory. The server then has no tools and no resources, and its
	// instructions are the text of Off alone. "": there is a memory.
	Off string

	// Tools says which tools the server has. The zero value is StorageTools.
	Tools Tools

	// Summarizer is the Summarizer of the workspaces' Service. If it is set, the server has the
	// tool summarize_file. nil: there is no such tool.
	Summarizer *workspace.Summarizer

	// Memory limits the bytes that all calls hold together, for requests and for answers that
	// are not written yet. A call waits if there is no memory for it. A call that needs more
	// than Memory runs while no other large call runs. Besides, at most eight calls at once
	// read files and logs, and at most two search or make large diffs. 0: 64 MiB; the least is
	// 1 MiB. The process uses up to about three times Memory before its garbage is collected.
	// With thousands of connections it uses more, unless a memory limit is set with
	// debug.SetMemoryLimit.
	Memory int64

	// MaxReadTokens limits the tokens of the body of read_file, counted as for MaxTokens of
	// [workspace.ReadOptions]. 0: no limit. Resources are always read whole.
	MaxReadTokens int

	Version string       // of the server, for clients; "": "devel"
	Logger  *slog.Logger // for panics, for errors without a kind, and for warnings of the SDK; nil: slog.Default

	// Timeout limits the time of a call that reads or writes the store. After that time, the
	// answer says that the store is busy. 0: 30 seconds. A call that waits for a model has
	// at least 3 minutes.
	Timeout time.Duration
}

// Call is a request of a client. For [Options].Workspace and AroundWork, it is a call of a
// tool, "resources/read" or "completion/complete".
type Call struct {
	// Tool is the name of the tool, or the method if no tool is called, such as
	// "resources/read". "" stands for an unknown tool or method.
	Tool string

	// AgentID is the agent that the call names, which is a valid name. "": the call names no
	// agent. Workspace gets "" only for bound callers.
	AgentID string

	Read  bool // the answer or the error may show stored data
	Write bool // the tool changes something
}

// Server is an MCP server over workspaces. A Server is safe for concurrent use.
type Server struct {
	mcp      *mcp.Server     // for callers who name their agent
	bound    *mcp.Server     // for callers who are bound to one; the same server if none are, or all
	tools    map[string]tool // by name
	o        Options
	budget   *budget
	calls    atomic.Int64 // under way
	sessions *session.Set
	limits   limits

	closing context.Context // ended by Close
	shut    context.CancelFunc
}

// limits are times, which the tests shorten.
type limits struct{ body, answer time.Duration }

// New returns a server. Errors: [workspace.ErrInvalid].
func New(o Options) (*Server, error) {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	problem := ""
	switch {
	case o.Workspace == nil:
		problem = "Workspace is nil"
	case o.Timeout < 0:
		problem = fmt.Sprintf("Timeout is %v", o.Timeout)
	case o.MaxReadTokens < 0:
		problem = fmt.Sprintf("MaxReadTokens is %d", o.MaxReadTokens)
	case o.Memory < leastMemory:
		problem = fmt.Sprintf("Memory is %d, the least is %d", o.Memory, leastMemory)
	case o.Tools < StorageTools || o.Tools > AllTools:
		problem = fmt.Sprintf("Tools is %d", o.Tools)
	}
	if problem != "" {
		return nil, fmt.Errorf("mcpserver: Options.%s: %w", problem, workspace.ErrInvalid)
	}
	sessions := session.NewSet()
	if o.Caller == nil {
		o.Caller, sessions.Shared = tokenUser, unnamed
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Version == "" {
		o.Version = "devel"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{
		o: o, budget: newBudget(o.Memory), sessions: sessions, limits: limits{bodyTimeout, answerTimeout},
		tools: map[string]tool{readResource.name: readResource, completePath.name: completePath},
	}
	s.closing, s.shut = context.WithCancel(context.Background())
	var err, err2 error
	if o.IsBound != nil {
		s.mcp, err = s.newMCP(false)
		s.bound, err2 = s.newMCP(true)
	} else {
		s.mcp, err = s.newMCP(o.Bound)
		s.bound = s.mcp
	}
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return s, nil
}

// newMCP returns a server of the SDK for callers who are bound to an agent, or for others.
func (s *Server) newMCP(bound bool) (*mcp.Server, error) {
	o := &mcp.ServerOptions{
		Instructions: instructions(s.o, bound),
		// Neither list changes.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{},
			Resources: &mcp.ResourceCapabilities{}},
		Logger:            s.sdkLogger(),
		CompletionHandler: s.complete,
		SetCacheable:      s.cacheable,
	}
	m := mcp.NewServer(&mcp.Implementation{Name: "scratchpad", Version: s.o.Version}, o)
	for _, t := range tools(s.o) {
		if err := s.add(m, t, bound); err != nil {
			return nil, err
		}
	}
	if s.o.Off == "" {
		s.addResources(m)
	}
	m.AddReceivingMiddleware(s.guard)
	return m, nil
}

// isBound reports whether the caller of a request is bound to one agent.
func (s *Server) isBound(ctx context.Context) bool {
	if s.o.IsBound == nil {
		return s.o.Bound
	}
	return s.o.IsBound(ctx)
}

// instructions teach a model when to write, where, and how to use the tools cheaply.
func instructions(o Options, bound bool) string {
	if o.Off != "" {
		return o.Off
	}
	who := ""
	if !bound {
		who = " agent_id is the name that the user gave you. Give the same one in every call, or you will not find " +
			"your files again."
	}
	if o.Tools == MemoryTool {
		return fmt.Sprintf(memoryInstructions, who, whenToWrite)
	}
	long := "Read a long file in parts, with from_line and to_line."
	if o.Summarizer != nil {
		long = "Before you read a long file that you do not know, call summarize_file. Then read from_line to to_line."
	}
	memory, beside := "", ""
	if o.Home != nil {
		beside = "\n- ~/ has what is true in every project, such as ~/style.md."
	}
	if o.Tools == AllTools {
		memory = "\n- memory shows the same files under /memories. Use it if you know its commands better."
	}
	return fmt.Sprintf(`Memory of your own that outlives this conversation: versioned files and append-only logs.%s
%s
- START.md has what you must know at the start. Keep it short and in order. Other files have the rest, and logs what happens.%s
Keep it cheap:
- Begin with changes: it lists what changed last, with a cursor. Later give that cursor as since to see what others changed, and diffs to see how.
- Each write answers with the file's version. read_file with since_version answers with a short diff, "unchanged", or the whole file where that is cheaper.
- edit_file sends only what changes, or appends; write_file is for new files. Give if_version where a lost update would hurt.
- %s
- read_log with since_entry = your last last_entry_id shows what is new; tail shows the last entries.
- search finds words, "a phrase" and -word. Make room with delete_file and delete_log.%s
An error says what to do next.`, who, whenToWrite, beside, long, memory)
}

// whenToWrite is the first instruction. A model that is not told writes only when a person asks.
const whenToWrite = "Write unasked: at a decision, after a finding that took work, before a long step, when the " +
	"person states a preference, and at the end."

// cacheable tells clients how long they may keep an answer. An agent's content is never
// kept, and is private. What the server says about itself is kept for minutes, unless it
// says what is in a memory.
func (s *Server) cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = 5*60*1000, "public"
	if s.o.IsBound != nil {
		c.CacheScope = "private" // another caller has another list
	}
	switch req.GetParams().(type) {
	case *mcp.ReadResourceParams:
		c.TTLMs, c.CacheScope = 0, "private"
	case *mcp.DiscoverParams:
		if s.o.Brief != nil {
			c.TTLMs, c.CacheScope = 0, "private"
		}
	}
}

// Run serves one client over a pair of streams, with one JSON-RPC message on each line. It
// ends when in or ctx ends. Before it returns, it answers the calls under way, for at most 5
// seconds. If a line is not a message, Run answers with an error and goes on. It writes only
// MCP messages to out. Run closes in but not out. If ctx ends while nobody reads out, a write
// to out may last longer than Run.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	conn := newLines(in, out, s, ctx)
	defer conn.forget()
	server := s.mcp
	if conn.bound {
		server = s.bound
	}
	session, err := server.Connect(context.WithoutCancel(ctx), conn, nil)
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
	case <-conn.reading.Done():
		err = conn.leave(ended)
	}
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// CancelAbandoned cancels all calls over HTTP whose client has left or leaves later. A program
// that is about to stop calls CancelAbandoned first, because such a call may last for minutes.
func (s *Server) CancelAbandoned() { s.shut() }

// Close waits for the calls in the sessions of [Server.Handler], and ends these sessions. It
// cancels the calls whose client has left. Stop serving before Close, because later requests
// begin new sessions.
func (s *Server) Close() {
	s.CancelAbandoned()
	s.sessions.EndAll()
}

// Stats are numbers of a server at one moment.
type Stats struct {
	Sessions    int    // open sessions, which only the protocols before 2026-07-28 have
	Calls       int64  // calls that have arrived and whose answers are not yet written
	Memory      int64  // bytes of Options.Memory that calls hold
	MemoryLimit int64  // Options.Memory, in bytes
	Refused     uint64 // calls that were refused because there was no memory, since New
}

// Stats returns the numbers of the server. A call of Stats is cheap.
func (s *Server) Stats() Stats {
	return Stats{
		Sessions: s.sessions.Open(), Calls: s.calls.Load(),
		Memory: s.budget.held(), MemoryLimit: s.o.Memory, Refused: s.budget.refused.Load(),
	}
}

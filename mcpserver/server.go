package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options of [New].
type Options struct {
	// Workspace names the agent of a call. Its error is the answer to the call.
	Workspace func(context.Context, Call) (*workspace.Workspace, error)

	Bound   bool         // the agent is fixed: the tools do not ask for agent_id
	Version string       // of the server, for clients; "": "dev"
	Logger  *slog.Logger // nil: slog.Default
}

// Call is a tool call before its agent is known.
type Call struct {
	Tool    string
	AgentID string // the argument; "" where there is none
	Write   bool   // the tool changes something
}

// Server is an MCP server over workspaces. It is safe for concurrent use.
type Server struct {
	mcp *mcp.Server
	o   Options
}

// New returns a server. Errors: [workspace.ErrInvalid].
func New(o Options) (*Server, error) {
	if o.Workspace == nil {
		return nil, fmt.Errorf("mcpserver: Options.Workspace is nil: %w", workspace.ErrInvalid)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{o: o, mcp: mcp.NewServer(&mcp.Implementation{Name: "scratchpad", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{},
		Logger:       o.Logger,
	})}
	for _, t := range tools {
		s.add(t)
	}
	return s, nil
}

const instructions = `Files of your own, kept between sessions. Every write_file makes a new version; remember the version you saw. ` +
	`To see what changed since, call read_file with since_version: it answers with a short diff, or says that nothing changed, or sends the whole file where that is cheaper.`

const maxLine = 16 << 20

// Run serves one client over a pair of streams, one JSON-RPC message a line,
// until the input ends or the context does. Nothing but MCP is written to out.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxLine})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// tool is one tool: what clients are told of it, and what it does.
type tool struct {
	name, description string
	properties        []property
	write             bool
	run               func(context.Context, *workspace.Workspace, *arguments) (result, error)
}

// result is the record of an answer and its body, nil for none.
type result struct {
	record any
	body   []byte
}

var tools = []tool{writeFile, readFile}

func (s *Server) add(t tool) {
	properties := t.properties
	if !s.o.Bound {
		properties = append([]property{agentID}, properties...)
	}
	no := false
	s.mcp.AddTool(&mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: schema(properties),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.write, DestructiveHint: &no, IdempotentHint: !t.write, OpenWorldHint: &no},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := s.call(ctx, t, req)
		if err != nil {
			return s.failure(t, err), nil
		}
		return success(res)
	})
}

// call decodes, finds the workspace, and runs the tool. A panic is an error of
// this call alone.
func (s *Server) call(ctx context.Context, t tool, req *mcp.CallToolRequest) (res result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	args, err := decode(req.Params.Arguments, append([]property{agentID}, t.properties...), s.o.Bound)
	if err != nil {
		return result{}, err
	}
	agent := args.text("agent_id")
	if agent == "" && !s.o.Bound {
		return result{}, args.missing(agentID)
	}
	for _, p := range t.properties {
		if p.required && !args.has(p.name) {
			return result{}, args.missing(p)
		}
	}
	ws, err := s.o.Workspace(ctx, Call{Tool: t.name, AgentID: agent, Write: t.write})
	if err != nil {
		return result{}, err
	}
	if info := req.ClientInfo(); info != nil {
		ws = ws.As(workspace.Author{Client: info.Name, Version: info.Version})
	}
	return t.run(ctx, ws, args)
}

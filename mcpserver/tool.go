package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// tool is the description of a tool for clients, and the function that runs it.
type tool struct {
	name, description string
	properties        []strictjson.Field // without agent_id
	agentID           string             // the description of agent_id; "" in most tools: it costs every model tokens
	scope             scope              // what its caller needs
	weight            weight             // the memory that it needs
	destructive       bool               // it leaves no history
	idempotent        bool               // of a tool that writes: a repeated call changes nothing more
	openWorld         bool               // it calls a model
	home              bool               // it takes files under ~/, see Options.Home

	// prepare looks at the arguments before anything is done; nil: no need.
	prepare func(*arguments) error

	// run is nil for completePath.
	run func(context.Context, *workspace.Workspace, *arguments) (result, error)
}

// A scope says what a tool does with what is stored. Every tool has one. edit_file and
// move_file have both: if they do not find a text or a file, their error quotes one that is
// there.
type scope uint8

const (
	reads  scope = 1 << iota // its answer or its error shows what is stored
	writes                   // it changes what is stored
)

// check returns an error if a tool lacks a field without which it would be open to every
// caller, or unlimited in memory.
func (t tool) check() error {
	if t.scope == 0 || t.weight == 0 {
		return fmt.Errorf("mcpserver: the tool %s has no scope or no weight", t.name)
	}
	return nil
}

// call returns a call of the tool for an agent.
func (t tool) call(agent string) Call {
	return Call{Tool: t.name, AgentID: agent, Read: t.scope&reads != 0, Write: t.scope&writes != 0}
}

// tools returns all tools. Clients see them in the order of their names.
func tools(o Options) []tool {
	switch {
	case o.Off != "":
		return nil
	case o.Tools == MemoryTool:
		return []tool{memoryTool}
	}
	list := []tool{writeFile, editFile, readFile(o), appendLog, readLog, listFiles, listLogs, moveFile, deleteFile,
		deleteLog, listChanges, searchTool, usageStats}
	if o.Summarizer != nil {
		list = append(list, summarizeFile(o.Summarizer))
	}
	if o.Tools == AllTools {
		list = append(list, memoryTool)
	}
	return list
}

// form returns the arguments that a tool takes. A caller who is bound to an agent need not name
// it, and is not told that it can.
func (t tool) form(bound bool) strictjson.Form {
	agent := strictjson.Field{Name: "agent_id", Kind: "string", Description: t.agentID, Required: !bound, Hidden: bound}
	fields := append([]strictjson.Field{agent}, t.properties...)
	return strictjson.Form{Whole: "the arguments", Part: "argument", Fields: fields}
}

// add adds a tool to a server for bound callers, or for others. The caller of a session may
// become bound, or cease to be, while the session lasts: each call is decoded for its own
// caller.
func (s *Server) add(to *mcp.Server, t tool, bound bool) error {
	if err := t.check(); err != nil {
		return err
	}
	s.tools[t.name] = t
	forms := map[bool]strictjson.Form{true: t.form(true), false: t.form(false)}
	write := t.scope&writes != 0
	to.AddTool(&mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: forms[bound].Schema(),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !write, DestructiveHint: &t.destructive,
			IdempotentHint: !write || t.idempotent, OpenWorldHint: &t.openWorld},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.finish(ctx, t, forms[requestOf(ctx).bound], req)
	})
	return nil
}

// finish runs a tool, and returns its answer or why it failed.
func (s *Server) finish(
	ctx context.Context, t tool, form strictjson.Form, req *mcp.CallToolRequest,
) (*mcp.CallToolResult, error) {
	out, err := s.call(ctx, t, form, req)
	if err != nil {
		noteFailure(ctx, err)
		return s.failure(t, err), nil
	}
	chargeForAnswer(ctx, texts(out)...)
	return out, nil
}

// call decodes the arguments, finds the workspace and runs the tool. A panic becomes an
// error of this call alone.
func (s *Server) call(
	ctx context.Context, t tool, form strictjson.Form, req *mcp.CallToolRequest,
) (out *mcp.CallToolResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(t.name, v)
			err = fmt.Errorf("panic: %T", v)
		}
	}()
	args, err := decode(req.Params.Arguments, form)
	if err != nil {
		return nil, err
	}
	if args.key, err = idempotencyKey(req.Params.Meta); err != nil {
		return nil, err
	}
	if t.prepare != nil {
		if err := t.prepare(args); err != nil {
			return nil, err
		}
	}
	return s.perform(ctx, t, args.Has("agent_id"), t.call(args.Text("agent_id")), req.ClientInfo(), args)
}

// perform finds the workspace of a call, and runs the tool on it. given says whether the call
// names its agent.
func (s *Server) perform(
	ctx context.Context, t tool, given bool, c Call, client *mcp.Implementation, args *arguments,
) (out *mcp.CallToolResult, err error) {
	ws, get, err := s.memory(ctx, t, given, c, client, args)
	if err != nil {
		return nil, err
	}
	args.author = ws.Author()
	err = s.work(ctx, c, func(ctx context.Context) (err error) {
		again := func() error { _, err := get(ctx, c); return err }
		out, err = s.weighed(ctx, t, args, again, func() (*mcp.CallToolResult, error) {
			res, err := t.run(ctx, ws, args)
			if err != nil {
				return nil, args.named(err)
			}
			return success(res)
		})
		return err
	})
	return out, err
}

// work runs the part of a call that uses the workspace.
func (s *Server) work(ctx context.Context, c Call, run func(context.Context) error) (err error) {
	defer func() { err = withoutMachine(ctx, err) }()
	order := requestOf(ctx).order
	if s.o.AroundWork == nil {
		return order.do(ctx, run)
	}
	ctx, end := s.o.AroundWork(ctx, c)
	err = errPanic
	defer func() { end(err) }()
	return order.do(ctx, run)
}

// workspace returns the workspace of a call. given says whether the call has an
// agent_id.
func (s *Server) workspace(
	ctx context.Context, get getWorkspace, c Call, given bool, client *mcp.Implementation,
) (*workspace.Workspace, error) {
	if given {
		if _, err := workspace.ParseAgentID(c.AgentID); err != nil {
			return nil, err
		}
	}
	ws, err := get(ctx, c)
	if err != nil {
		return nil, err
	}
	return ws.As(author(ctx, ws.Author(), client)), nil
}

// author returns who makes a call: who the workspace says, with the name of the client and
// of its connection, as far as they are known. Calls without a connection that lasts have no
// Session.
func author(ctx context.Context, a workspace.Author, client *mcp.Implementation) workspace.Author {
	if client != nil && client.Name+client.Version != "" {
		a.Client, a.Version = client.Name, client.Version
	}
	if r := requestOf(ctx); r.connection != "" {
		a.Session = r.connection
	}
	return a
}

// keyField is the field of _meta for a key with which a client can repeat a call safely.
const keyField = "scratchpad/idempotency_key"

func idempotencyKey(meta mcp.Meta) (string, error) {
	v, ok := meta[keyField]
	if !ok {
		return "", nil
	}
	key, ok := v.(string)
	if !ok || key == "" {
		return "", invalid("_meta[%q] must be a string of 1-128 printable characters", keyField)
	}
	return key, nil
}

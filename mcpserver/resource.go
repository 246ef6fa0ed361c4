package mcpserver

import (
	"context"
	"errors"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	scheme   = "scratchpad://"
	template = scheme + "{agent}/{+path}"
)

// The methods that show what is stored, like tools.
var (
	readResource = tool{name: "resources/read", scope: reads, weight: large,
		run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
			r, err := ws.ReadFile(ctx, a.Text("path"), workspace.ReadOptions{})
			return result{body: bodyOf(r)}, err
		},
	}
	completePath = tool{name: "completion/complete", scope: reads, weight: light}
)

func (s *Server) addResources(to *mcp.Server) {
	to.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: template, Name: "file", Description: "The current version of an agent's file",
		MIMEType: "text/plain",
	}, s.resource)
}

// resource reads the current version of a file. The answer is the same for a file
// that does not exist and a file of another caller.
func (s *Server) resource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	agent, path := splitURI(uri)
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	args := &arguments{Values: strictjson.Values{{Name: "path", Text: path}}}
	out, err := s.perform(ctx, readResource, true, readResource.call(agent), req.ClientInfo(), args)
	noteFailure(ctx, err)
	switch {
	case errors.Is(err, workspace.ErrNotFound) || errors.Is(err, workspace.ErrInvalid):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.explain(readResource.name, err)}
	}
	text := texts(out)[0]
	chargeForAnswer(ctx, text)
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text}}},
		nil
}

// maxCompletions is how many values MCP allows in one answer.
const maxCompletions = 100

// complete offers the paths of the agent's files. It never offers the names of agents.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p := req.Params
	res := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if p.Ref.URI != template || p.Argument.Name != "path" {
		return res, nil
	}
	call, given := completePath.call(""), false
	if p.Context != nil {
		call.AgentID, given = p.Context.Arguments["agent"]
	}
	if !given && !requestOf(ctx).bound {
		return res, nil
	}
	ws, err := s.workspace(ctx, s.o.Workspace, call, given, req.ClientInfo())
	var list workspace.FileList
	if err == nil {
		err = s.work(ctx, call, func(ctx context.Context) (err error) {
			list, err = ws.ListFiles(ctx, workspace.ListOptions{Prefix: p.Argument.Value, Limit: maxCompletions})
			return err
		})
	}
	switch {
	case errors.Is(err, workspace.ErrInvalid):
		return res, nil // no path begins like this
	case err != nil:
		noteFailure(ctx, err)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.explain(call.Tool, err)}
	}
	for _, f := range list.Files {
		res.Completion.Values = append(res.Completion.Values, f.Path)
	}
	res.Completion.HasMore = list.More
	return res, nil
}

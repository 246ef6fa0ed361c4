package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// home begins the paths of the memory beside the caller's own, see [Options].Home.
const home = "~/"

// A getWorkspace is as [Options].Workspace.
type getWorkspace = func(context.Context, Call) (*workspace.Workspace, error)

// getHome is Options.Home, with an error in place of nil.
func (s *Server) getHome(ctx context.Context, c Call) (*workspace.Workspace, error) {
	ws, err := s.o.Home(ctx, c)
	if err == nil && ws == nil {
		err = errOwn
	}
	return ws, err
}

var errOwn = invalid("this memory is the one that %s stands for; leave it out", home)

// memory returns the workspace of a call of a tool, and who gave it: the paths of the call may be
// under "~/".
func (s *Server) memory(
	ctx context.Context, t tool, given bool, c Call, client *mcp.Implementation, args *arguments,
) (ws *workspace.Workspace, get getWorkspace, err error) {
	get = s.o.Workspace
	if s.o.Home != nil {
		if err := args.takeHome(t); err != nil {
			return nil, nil, err
		}
		if args.under != "" {
			get = s.getHome
		} else {
			args.beside = func() (*workspace.Workspace, error) {
				return s.workspace(ctx, s.getHome, c, given, client)
			}
		}
	}
	ws, err = s.workspace(ctx, get, c, given, client)
	return ws, get, err
}

// takeHome takes "~/" from the arguments of a call of a tool. A call without it is for the
// caller's own memory. After it, a.under is "~/".
func (a *arguments) takeHome(t tool) error {
	for i := range a.Values {
		v := &a.Values[i]
		if !slices.Contains([]string{"path", "prefix", "after", "new_path", "old_path"}, v.Name) {
			continue
		}
		rest, found := strings.CutPrefix(v.Text, home)
		switch {
		case !found:
		case !t.home:
			return invalid("%s does not reach %s, which has files only; write_file, edit_file, read_file, "+
				"list_files, delete_file, summarize_file and search reach it", t.name, home)
		default:
			v.Text, a.under = rest, home
		}
	}
	return nil
}

// named returns an error of the workspace, with the names of files as the agent writes them.
func (a *arguments) named(err error) error {
	e, ok := err.(*workspace.Error)
	if !ok || a.under == "" {
		return err
	}
	named := *e
	if e.Object == a.Text("path") || e.Object == a.Text("prefix") {
		named.Object = a.under + e.Object
	}
	if e.Way.Name != "" {
		named.Way.Name = a.under + e.Way.Name
	}
	named.Err = a.named(e.Err)
	return &named
}

// search searches the caller's files and logs, and after them the files under "~/". Both together
// keep the bounds of one search. If the second one fails, the result is that of the first.
func (a *arguments) search(ctx context.Context, ws *workspace.Workspace) (workspace.SearchResult, error) {
	o := workspace.SearchOptions{
		Prefix: a.Text("prefix"), Exact: a.Flag("exact"), Limit: toInt(a.Integer("limit")),
		After: toInt(a.Integer("after")), History: a.Flag("history"), Zeros: a.zeros(), Under: a.under,
	}
	if a.under != "" {
		o.Kind = workspace.KindFile
	}
	r, err := ws.Search(ctx, a.Text("query"), o)
	if err != nil || a.beside == nil || o.Prefix != "" {
		return r, err
	}
	beside, err := a.beside()
	if err != nil { // also errOwn; what was found is worth more than the reason
		return r, nil
	}
	room, left := cmp.Or(o.Limit, 10)-len(r.Hits), searchTokens-r.Tokens
	after, own := o.After, r.Total
	o.Kind, o.Limit, o.MaxTokens = workspace.KindFile, max(1, room), max(1, left)
	o.Under = home
	o.After = int(max(0, int64(after)-own))
	more, err := beside.Search(ctx, a.Text("query"), o)
	if err != nil {
		return r, nil
	}
	switch fewest := 50; { // tokens in which a hit says something
	case room == 0 || r.Cut > 0 || len(more.Hits) == 0:
	case left < fewest:
		r.Cut = searchTokens
	default:
		r.Cut = more.Cut
		for _, h := range more.Hits {
			h.Path = home + h.Path
			r.Hits = append(r.Hits, h)
		}
	}
	if r.Total += more.Total; r.Total > 0 {
		r.Near = nil
	} else if len(r.Near) == 0 {
		r.Near = more.Near
	}
	r.More = r.Total > int64(after+len(r.Hits))
	return r, nil
}

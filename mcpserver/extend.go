package mcpserver

import (
	"context"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// extend adds to a server of the SDK what the program offers, and notes its tools and
// resources.
func (s *Server) extend(m *mcp.Server) (err error) {
	if s.o.Extend == nil {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("mcpserver: Options.Extend: %w", err)
		}
	}()
	s.o.Extend(m)
	near, far := mcp.NewInMemoryTransports()
	ctx := context.Background()
	session, err := m.Connect(ctx, far, nil)
	if err != nil {
		return err
	}
	defer session.Wait()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "scratchpad"}, nil).Connect(ctx, near, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	for t, err := range client.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if _, ours := s.tools[t.Name]; !ours {
			added := tool{name: t.Name, scope: reads | writes, extended: true}
			if t.Annotations != nil && t.Annotations.ReadOnlyHint {
				added.scope = reads
			}
			s.tools[t.Name] = added
		}
	}
	for r, err := range client.Resources(ctx, nil) {
		if err != nil {
			return err
		}
		s.subscribable[r.URI] = true
	}
	return nil
}

// streams reports whether a request without a session is answered by a stream of events,
// because messages may come before the answer.
func (s *Server) streams(r *http.Request) bool {
	t, known := s.tools[r.Header.Get("Mcp-Name")]
	return known && (t.openWorld || t.extended)
}

// subscribe lets a client subscribe to a resource that Options.Extend has added, and to
// nothing else: the SDK never forgets a URI to which somebody has subscribed.
func (s *Server) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	if !s.subscribable[req.Params.URI] {
		return mcp.ResourceNotFoundError(strictjson.Short(req.Params.URI))
	}
	return nil
}

func (s *Server) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }

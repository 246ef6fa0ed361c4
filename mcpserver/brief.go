package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// briefTime is how long a client that connects waits for what is in its memory.
const briefTime = time.Second

// addBrief adds what is in the memory to the instructions of a result.
func (s *Server) addBrief(ctx context.Context, res mcp.Result) mcp.Result {
	switch r := res.(type) {
	case *mcp.InitializeResult:
		told := *r
		told.Instructions = s.withBrief(ctx, r.Instructions)
		return &told
	case *mcp.DiscoverResult:
		told := *r
		told.Instructions = s.withBrief(ctx, r.Instructions)
		return &told
	}
	return res
}

// withBrief returns the instructions with the brief behind them, or alone if there is none
// in time.
func (s *Server) withBrief(ctx context.Context, instructions string) (told string) {
	ctx, cancel := context.WithTimeout(ctx, briefTime)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			s.logPanic("brief", v)
			told = instructions
		}
	}()
	if text := s.o.Brief(ctx); text != "" && ctx.Err() == nil {
		return instructions + "\n\n" + text
	}
	return instructions
}

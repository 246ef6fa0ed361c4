package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// briefTime is how long a client that connects waits for what is in its memory.
const briefTime = time.Second

// maxInstructions is how many characters a client is told when it connects, with the brief.
// Some clients cut what is longer than 2,000.
const maxInstructions = 1800

// MaxBrief is the number of characters of a brief that are never cut. See [Options].Brief.
const MaxBrief = 500

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
	text := cut(s.o.Brief(ctx), maxInstructions-len(instructions)-len("\n\n"))
	if text != "" && ctx.Err() == nil {
		return instructions + "\n\n" + text
	}
	return instructions
}

// cut returns the lines at the beginning of a text that have at most so many characters.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	text = string(runes[:max(0, most)])
	return text[:max(0, strings.LastIndexByte(text, '\n'))]
}

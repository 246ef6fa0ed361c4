package main

import (
	"context"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// memoryStores returns the routes of the Memory Stores API. Their calls count, are logged
// and are traced as those of tools.
func (s *service) memoryStores() http.Handler {
	return memorystores.New(memorystores.Options{
		Door: s.door, RequestID: httpserver.RequestID, Logger: s.p.log,
		Admit: func(ctx context.Context, tenant, agent string) (time.Duration, bool) {
			return s.http.AdmitAgent(ctx, tenant, agent)
		},
		Around: func(ctx context.Context, c memorystores.Call) (context.Context, func(memorystores.Outcome)) {
			ctx, end := s.seen.Around(ctx, mcpserver.Call{Tool: c.Operation, AgentID: c.Agent})
			return ctx, func(o memorystores.Outcome) {
				if o.After > 0 {
					o.Err = &mcpserver.Busy{After: o.After}
				}
				end(mcpserver.Outcome{Err: o.Err, BytesIn: o.BytesIn, BytesOut: o.BytesOut})
			}
		},
	})
}

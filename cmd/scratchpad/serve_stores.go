package main

import (
	"context"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
)

// memoryStores returns the routes of the Memory Stores API. Their calls count, are logged
// and are traced as those of tools.
func (s *service) memoryStores() http.Handler {
	return memorystores.New(memorystores.Options{
		Door: s.door, RequestID: httpserver.RequestID, Logger: s.p.log,
		Admit: func(ctx context.Context, tenant, agent string) (time.Duration, bool) {
			return s.http.AdmitAgent(ctx, tenant, agent)
		},
		Around: s.seen.Around,
	})
}

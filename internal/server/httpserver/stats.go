package httpserver

import "sync/atomic"

// Stats are counters of a server. Connections, Calls, Visits and Pages are present numbers. All
// other fields count since the start.
type Stats struct {
	Connections int64 // open connections
	Calls       int64 // requests under way to /mcp and /v1 whose sender may call
	Visits      int64 // requests under way to the console, without Pages
	Pages       int64 // pages of the console that wait for changes

	Accepted          int64 // accepted connections
	ClosedForRoom     int64 // connections that were closed because there were too many
	RefusedHeads      int64 // of ClosedForRoom, because the heads of requests had too many bytes together
	RefusedCallerRate int64 // requests over the rate of their caller, or with too many before them
	RefusedAgentRate  int64 // calls over the rate of their agent
	RefusedBlocked    int64 // requests with a wrong credential, from an address with too many before
	FailedCredentials int64
	Panics            int64
}

type counters struct {
	accepted, closedForRoom, heads, callerRate, agentRate, blocked, failed, panics, pages atomic.Int64
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	pages := s.stats.pages.Load()
	return Stats{
		Connections:       s.places.count(),
		Calls:             s.calls.callers.each.Held(),
		Visits:            max(0, s.calls.people.each.Held()-pages), // not all of one moment
		Pages:             pages,
		Accepted:          s.stats.accepted.Load(),
		ClosedForRoom:     s.stats.closedForRoom.Load(),
		RefusedHeads:      s.stats.heads.Load(),
		RefusedCallerRate: s.stats.callerRate.Load(),
		RefusedAgentRate:  s.stats.agentRate.Load(),
		RefusedBlocked:    s.stats.blocked.Load(),
		FailedCredentials: s.stats.failed.Load(),
		Panics:            s.stats.panics.Load(),
	}
}

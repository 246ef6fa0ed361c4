package mcpserver

// Stats are numbers of a server at one moment.
type Stats struct {
	Sessions    int    // that are open; only the protocols before 2026-07-28 have them
	Calls       int64  // under way: they have arrived, and their answers are not yet written
	Memory      int64  // bytes of the budget that calls hold
	MemoryLimit int64  // bytes: [Options].Memory
	Refused     uint64 // calls that were refused because there was no memory, since New
}

// Stats returns the numbers of the server. It is cheap.
func (s *Server) Stats() Stats {
	return Stats{
		Sessions: s.sessions.Open(), Calls: s.calls.Load(),
		Memory: s.budget.held(), MemoryLimit: s.o.Memory, Refused: s.budget.refused.Load(),
	}
}

package store

import "time"

// A Profile names and describes an agent's memory for people. It is kept beside the memory:
// writing files does not change it. The zero value is that of an agent without a profile.
type Profile struct {
	Name        string            // 1-255 characters
	Description string            // at most 1,024 characters
	Metadata    map[string]string // at most 16 pairs; keys of 1-64 characters, values of at most 512
	Created     time.Time         // in UTC, to the microsecond; later updates keep it
	Updated     time.Time         // set by each update
	// Archived is when the agent was archived. Writes are refused from then on, in every process
	// within a second; deletions and redactions are not. Zero: not archived.
	Archived time.Time
}

// An AgentProfile is the profile of an agent in a list.
type AgentProfile struct {
	Agent   string
	Profile Profile
}

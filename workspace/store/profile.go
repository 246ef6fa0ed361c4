package store

import "time"

// A Profile names and describes an agent's memory for people. Writes to files and logs do not
// change the Profile. The zero value stands for an agent without a profile.
type Profile struct {
	Name        string            // 1-255 characters
	Description string            // at most 1,024 characters
	Metadata    map[string]string // at most 16 pairs; keys of 1-64 characters, values of at most 512
	Created     time.Time         // in UTC, to the microsecond; later updates keep it
	Updated     time.Time         // time of the last update
	// Archived is when the agent was archived. Every process refuses writes to the agent within a
	// second, but not deletions and redactions. Zero: the agent is not archived.
	Archived time.Time
}

// An AgentProfile is the profile of an agent in a list.
type AgentProfile struct {
	Agent   string
	Profile Profile
}

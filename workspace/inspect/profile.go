package inspect

import "time"

// A Profile is what people say of an agent's memory. It is kept beside the memory: writing
// files does not change it. The zero value is that of an agent of whom nothing was said.
type Profile struct {
	Name        string            // 1-255 characters
	Description string            // at most 1,024 characters
	Metadata    map[string]string // at most 16 pairs; keys of 1-64 characters, values of at most 512
	Created     time.Time         // set by the first update; in UTC, to the microsecond
	Updated     time.Time         // set by each update
	Archived    time.Time         // zero: not archived. What is written from then on is refused, in every process within a second; deletions are not
}

// An AgentProfile is the profile of an agent in a list.
type AgentProfile struct {
	Agent   string
	Profile Profile
}

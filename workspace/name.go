package workspace

import "github.com/agent-scratchpad/scratchpad/workspace/internal/names"

// AgentID is a valid name of an agent: 1-128 characters of [a-zA-Z0-9_-]. [ParseAgentID]
// makes it.
type AgentID struct{ name string }

// String returns the name as it was parsed.
func (a AgentID) String() string { return a.name }

// ParseAgentID returns the name as an AgentID. The error wraps [ErrInvalid] and says
// which rule the name breaks.
func ParseAgentID(name string) (AgentID, error) {
	if cause := names.Agent(name); cause != "" {
		return AgentID{}, badArgument(ArgAgent, name, cause)
	}
	return AgentID{name}, nil
}

// Path is a valid name of a file or a log: 1-255 characters of [a-zA-Z0-9/_.-]. Single
// slashes separate its segments. No segment is ".", and ".." is nowhere in it. A file and
// a log may have the same path. [ParsePath] makes a Path.
type Path struct{ name string }

// String returns the path as it was parsed.
func (p Path) String() string { return p.name }

// ParsePath returns the name as a Path. The error wraps [ErrInvalid] and says which rule
// the name breaks.
func ParsePath(name string) (Path, error) {
	if cause := names.Path(name); cause != "" {
		return Path{}, badArgument(ArgPath, name, cause)
	}
	return Path{name}, nil
}

// checkPrefix checks a prefix of paths. It may be empty, or end in a slash.
func checkPrefix(prefix string) error {
	if cause := names.Prefix(prefix); cause != "" {
		return badArgument(ArgPrefix, prefix, cause)
	}
	return nil
}

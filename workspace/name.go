package workspace

import (
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// AgentID is a valid name of an agent: 1-128 characters of [a-zA-Z0-9_-]. [ParseAgentID]
// makes AgentIDs.
type AgentID struct{ name string }

// String returns the name as it was parsed.
func (a AgentID) String() string { return a.name }

// ParseAgentID returns the name as an AgentID. The error wraps [ErrInvalid] and says
// which rule the name breaks.
func ParseAgentID(name string) (AgentID, error) {
	if cause := names.Agent(name); cause != "" {
		return AgentID{}, badArgument(store.ArgAgent, name, cause)
	}
	return AgentID{name}, nil
}

// Path is a valid path of a file or a log. A file and a log may have the same path.
// [ParsePath] and [PathRule.Parse] make Paths.
type Path struct{ name string }

// String returns the path.
func (p Path) String() string { return p.name }

// ParsePath returns the name as a Path, by the rule [ASCIIPaths]. See [PathRule.Parse].
func ParsePath(name string) (Path, error) { return ASCIIPaths.Parse(name) }

// A PathRule says which names are valid paths. By every rule, single slashes separate the
// segments of a path, no segment is ".", and a path does not contain "..".
type PathRule int

const (
	// ASCIIPaths have 1-255 characters of [a-zA-Z0-9/_.-].
	ASCIIPaths PathRule = iota

	// UnicodePaths have 1-255 characters in at most 1,024 bytes: those of ASCIIPaths,
	// letters, marks and digits of any script, and single spaces inside a segment. The
	// paths are in NFC. The rule refuses characters that do not show. It also refuses a
	// path that looks like another one: a path must equal its NFKC, except for the Thai
	// and Lao letter AM.
	UnicodePaths
)

// String returns "ascii" or "unicode".
func (r PathRule) String() string { return names.Rule(r).String() }

// Parse returns the name as a Path. UnicodePaths puts the name into NFC first. The error
// wraps [ErrInvalid] and says which rule the name breaks.
func (r PathRule) Parse(name string) (Path, error) {
	path, err := r.clean(store.ArgPath, name, names.Rule.Path)
	return Path{path}, err
}

// stored returns a path or a prefix of what may be stored: any rule may have allowed that. If
// none allows the name, the error is that of r.
func (r PathRule) stored(arg store.Arg, name string, check func(names.Rule, string) (string, string)) (string, error) {
	if clean, cause := check(names.Unicode, name); cause == "" {
		return clean, nil
	}
	return r.clean(arg, name, check)
}

// clean returns a path or a prefix as it is stored.
func (r PathRule) clean(arg store.Arg, name string, check func(names.Rule, string) (string, string)) (string, error) {
	clean, cause := check(names.Rule(r), name)
	if cause == "" {
		return clean, nil
	}
	e := badArgument(arg, name, cause)
	if _, wrong := check(names.Unicode, name); wrong == "" {
		e.Way.Do = store.DoUnicodePaths
	}
	return "", e
}

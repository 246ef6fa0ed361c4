package memorycommand

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A place is where a path of a command leads. Whether the workspace allows the path is for
// the workspace to say.
type place struct {
	given string // the path as the command gives it, for the answer
	path  string // in the workspace; "" is the root
	slash bool   // the given path ends in a slash, so it is that of a folder
}

// placeOf maps the path of a member to the workspace.
func placeOf(member, given string) (place, error) {
	bad := func(cause string) (place, error) {
		return place{}, refuse(workspace.ErrInvalid, "%s %s %s", member, quote(given), cause)
	}
	below, in := strings.CutPrefix(given, root)
	switch {
	case !in || below != "" && below[0] != '/':
		return bad("is not in " + root + "; give a path such as " + root + "/notes.md")
	case strings.ContainsRune(below, 0):
		return bad("holds a NUL character; leave it out")
	case strings.Contains(below, `\`):
		return bad("holds a backslash; separate folders by /")
	case strings.Contains(below, "..") || strings.Contains(strings.ToLower(below), "%2e"):
		return bad(`holds ".."; give a path without it, such as ` + root + "/notes.md")
	}
	path := strings.TrimPrefix(below, "/")
	path, slash := strings.CutSuffix(path, "/")
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == "" && path != "" {
			return bad(`has an empty segment or a segment "."; leave it out`)
		}
	}
	if p, err := workspace.UnicodePaths.Parse(path); err == nil {
		path = p.String() // in NFC, as stored paths are
	}
	return place{given, path, slash || path == ""}, nil
}

// fileOf maps the path of a file to the workspace.
func fileOf(member, given string) (place, error) {
	p, err := placeOf(member, given)
	if err == nil && p.slash {
		err = refuse(workspace.ErrInvalid, "%s %s is a folder; name a file in it", member, quote(given))
	}
	return p, err
}

// folder returns the path without a slash at its end.
func (p place) folder() string { return strings.TrimSuffix(p.given, "/") }

func missing(p place) error {
	return refuse(workspace.ErrNotFound, "The path %s does not exist. Please provide a valid path.", p.given)
}

package memorycommand

import (
	"errors"
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

// placeOf maps the path of a member to the workspace. A path that does not begin with the root is
// one below it.
func placeOf(member, given string) (place, error) {
	sent := given
	bad := func(cause string) (place, error) {
		return place{}, refuse(workspace.ErrInvalid, "%s %s %s", member, quote(sent), cause)
	}
	below := "/" + strings.TrimPrefix(given, "/")
	if first, _, _ := strings.Cut(below[1:], "/"); "/"+first == root {
		below = below[len(root):]
	} else if below == "/" || below == "/." {
		below = ""
	}
	typo := strings.HasPrefix(strings.ToLower(given), root) && !strings.HasPrefix(given+"/", root+"/")
	given = root + below
	switch {
	case typo:
		return bad("is not in " + root + "; give a path such as " + root + "/notes.md")
	case strings.HasPrefix(below+"/", "/~/"):
		return bad("is not one of this tool, which does not reach ~/; give a path such as " + root + "/notes.md")
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

// missing returns the error of a place where err found no file. It says if a log is there, or a deleted file. format
// is the text if nothing is.
func missing(p place, err error, format string) error {
	var e *workspace.Error
	if !errors.As(err, &e) {
		return refuse(workspace.ErrNotFound, format, p.given)
	}
	switch e.Way.Do {
	case workspace.DoReadLog:
		return refuse(workspace.ErrNotFound, "%s is a log; this tool cannot read logs", p.path)
	case workspace.DoRestore:
		return refuse(workspace.ErrNotFound,
			"%s is deleted; the person can bring it back with scratchpad files restore", p.path)
	}
	return refuse(workspace.ErrNotFound, format, p.given)
}

const (
	noPath      = "Error: The path %s does not exist"
	noValidPath = "The path %s does not exist. Please provide a valid path."
)

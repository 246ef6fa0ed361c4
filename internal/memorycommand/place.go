package memorycommand

import (
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A place is where a path of a command leads. Whether the workspace allows the path is for
// the workspace to say.
type place struct {
	given string // the path as the command gives it, for the answer
	path  string // in the workspace; "" is the root
	slash bool   // the given path ends in a slash, so it is that of a folder
}

// placeOf maps a path to the workspace. A path that does not begin with the root is one below it.
func placeOf(given string) (place, error) {
	below := "/" + strings.TrimPrefix(given, "/")
	if first, _, _ := strings.Cut(below[1:], "/"); "/"+first == root {
		below = below[len(root):]
	}
	if strings.HasPrefix(below+"/", "/~/") {
		return place{}, refuse(workspace.ErrInvalid, "path %s is not one of this tool, which does not reach ~/; "+
			"give a path such as %s/notes.md", quote(given), root)
	}
	path, slash := strings.CutSuffix(strings.TrimPrefix(below, "/"), "/")
	if path == "" || path == "." {
		return place{given: root, slash: true}, nil
	}
	p, err := workspace.UnicodePaths.Parse(path)
	return place{root + below, p.String(), slash}, err
}

// fileOf maps the path of a file to the workspace.
func fileOf(given string) (place, error) {
	p, err := placeOf(given)
	if err == nil && p.slash {
		err = refuse(workspace.ErrInvalid, "path %s is a folder; name a file in it", quote(given))
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
	case store.DoReadLog:
		return refuse(workspace.ErrNotFound, "%s is a log; this tool cannot read logs", p.path)
	case store.DoRestore:
		return refuse(workspace.ErrNotFound,
			"%s is deleted; the person can bring it back with scratchpad files restore", p.path)
	}
	return refuse(workspace.ErrNotFound, format, p.given)
}

const (
	noPath      = "Error: The path %s does not exist"
	noValidPath = "The path %s does not exist. Please provide a valid path."
)

package memorycommand

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/lineends"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func (c *Command) create(ctx context.Context, ws *workspace.Workspace) (string, error) {
	p, err := fileOf(c.Text("path"))
	if err != nil {
		return "", err
	}
	w := workspace.WriteOptions{Tree: true, IfVersion: new(int64)}
	if c.overwrite {
		w.IfVersion = nil
	}
	r, err := ws.WriteFile(ctx, p.path, []byte(c.Text("file_text")), w)
	if errors.Is(err, workspace.ErrConflict) {
		exists := "Error: File %s already exists"
		if c.overwrite {
			exists = "%s is a folder; name a file in it, or give another path"
		}
		return "", inTheWay("path", p, err, exists)
	}
	return fmt.Sprintf("File created successfully at: %s", p.given) + note(r), err
}

// note is what an answer says of secrets that were stored.
func note(r workspace.WriteResult) string {
	if r.Secrets == nil {
		return ""
	}
	return "\n" + r.Secrets.Text() + ". A person can remove it: " + r.Secrets.Remove
}

// inTheWay words the error of a place that is taken. exists is the text for a file or a
// folder at the place itself.
func inTheWay(member string, p place, err error, exists string) error {
	var at *workspace.Overlap
	if !errors.As(err, &at) || at.Path == p.path || strings.HasPrefix(at.Path, p.path+"/") {
		return refuse(err, exists, p.given)
	}
	return refuse(err, "%s %s lies below %s, which is a file; give another path, or rename that file first",
		member, p.given, quote(root+"/"+at.Path))
}

func (c *Command) replace(ctx context.Context, ws *workspace.Workspace) (string, error) {
	p, err := placeOf(c.Text("path"))
	if err != nil {
		return "", err
	}
	old, new := []byte(c.Text("old_str")), []byte(c.Text("new_str"))
	if len(old) == 0 {
		return "", refuse(workspace.ErrInvalid, "old_str is empty; give the text to replace, or use insert")
	}
	var snippet string
	told, err := update(ctx, ws, p, "Error: "+noValidPath, func(content []byte) ([]byte, error) {
		old, new := old, new
		switch crlf, mixed := lineends.InCRLF(content, string(old)); {
		case mixed:
			return nil, refuse(workspace.ErrConflict, "No replacement was performed. old_str occurs with both "+
				`\n and \r\n as line ends in %s; give each as it is stored`, p.given)
		case crlf:
			old, new = []byte(lineends.ToCRLF(string(old))), []byte(lineends.ToCRLF(string(new)))
		}
		switch bytes.Count(content, old) {
		case 0:
			return nil, refuse(workspace.ErrConflict,
				"No replacement was performed, old_str `%s` did not appear verbatim in %s.", echo(old), p.given)
		case 1:
		default:
			return nil, refuse(workspace.ErrConflict, "No replacement was performed. "+
				"Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", echo(old),
				linesOf(content, old))
		}
		at := bytes.Index(content, old)
		after := slices.Concat(content[:at], new, content[at+len(old):])
		snippet = around(after, countLines(content[:at]))
		return after, nil
	})
	return snippet + told, err
}

// update changes a file, and returns what to say of it. absent is the text if there is none.
func update(
	ctx context.Context, ws *workspace.Workspace, p place, absent string, fn func([]byte) ([]byte, error),
) (string, error) {
	if p.slash {
		return "", missing(p, nil, absent)
	}
	r, err := ws.UpdateFile(ctx, p.path, fn)
	if errors.Is(err, workspace.ErrNotFound) {
		return "", missing(p, err, absent)
	}
	return note(r), err
}

// linesOf returns the numbers of the lines in which a text begins.
func linesOf(content, text []byte) string {
	const most = 1000
	var numbers []string
	line, last := 1, 0
	for len(numbers) < most {
		at := bytes.Index(content, text)
		if at < 0 {
			return strings.Join(numbers, ", ")
		}
		if line += bytes.Count(content[:at], []byte("\n")); line != last {
			numbers = append(numbers, strconv.Itoa(line))
		}
		last = line
		line += bytes.Count(text, []byte("\n"))
		content = content[at+len(text):]
	}
	return strings.Join(numbers, ", ") + ", ..."
}

// echo returns the text of an input for an answer.
func echo(text []byte) string {
	if len(text) <= maxChars/2 {
		return string(text)
	}
	return string(text[:firstChars(text, maxChars/4)]) + "..."
}

// around returns the answer of an edit that begins in a line.
func around(content []byte, line int) string {
	const header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
	first, last := max(line-2, 1), min(line+2, countLines(content))
	return fit(header, numbered(content, first, last), func(shown int) string {
		return fmt.Sprintf("The snippet is longer than an answer. View the lines with view_range [%d, %d].",
			first+shown, last)
	})
}

func (c *Command) insert(ctx context.Context, ws *workspace.Workspace) (string, error) {
	p, err := placeOf(c.Text("path"))
	if err != nil {
		return "", err
	}
	added, line := strings.TrimSuffix(c.Text("insert_text"), "\n"), c.Integer("insert_line")
	told, err := update(ctx, ws, p, noPath, func(content []byte) ([]byte, error) {
		total := countLines(content)
		switch {
		case line < 0 || line > int64(total):
			return nil, refuse(workspace.ErrInvalid,
				"Error: Invalid `insert_line` parameter: %d. It should be within the "+
					"range of lines of the file: [0, %d]", line, total)
		case line == int64(total):
			return slices.Concat(content, []byte("\n"+added)), nil
		}
		at := lineStart(content, int(line)+1)
		return slices.Concat(content[:at], []byte(added+"\n"), content[at:]), nil
	})
	return fmt.Sprintf("The file %s has been edited.", p.given) + told, err
}

func (c *Command) delete(ctx context.Context, ws *workspace.Workspace) (string, error) {
	p, err := placeOf(c.Text("path"))
	switch {
	case err != nil:
		return "", err
	case p.path == "":
		return "", refuse(workspace.ErrInvalid, "Cannot delete the %s directory itself", root)
	}
	err = workspace.DeleteTree(ctx, ws, p.path)
	if errors.Is(err, workspace.ErrNotFound) {
		return "", missing(p, err, noPath)
	}
	return fmt.Sprintf("Successfully deleted %s", p.given), err
}

func (c *Command) rename(ctx context.Context, ws *workspace.Workspace) (string, error) {
	from, err := placeOf(c.Text("old_path"))
	if err != nil {
		return "", err
	}
	to, err := placeOf(c.Text("new_path"))
	switch {
	case err != nil:
		return "", err
	case from.path == "":
		return "", refuse(workspace.ErrInvalid, "Cannot rename the %s directory itself", root)
	case to.path == "" || to.path == from.path:
		return "", refuse(workspace.ErrConflict, "Error: The destination %s already exists", to.given)
	case strings.HasPrefix(to.path, from.path+"/"):
		return "", refuse(workspace.ErrInvalid, "new_path %s lies in old_path; give a path outside of it", to.given)
	}
	err = workspace.MoveTree(ctx, ws, from.path, to.path)
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		return "", missing(from, err, noPath)
	case errors.Is(err, workspace.ErrConflict):
		return "", inTheWay("new_path", to, err, "Error: The destination %s already exists")
	}
	return fmt.Sprintf("Successfully renamed %s to %s", from.given, to.given), err
}

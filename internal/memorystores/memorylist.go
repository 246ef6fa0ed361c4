package memorystores

import (
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxLimit     = 100
	maxFull      = 20 // items of a page with contents
	defaultLimit = 20
	maxPage      = 4 << 20 // bytes of contents, after which a page ends
	chunk        = 50      // files that are looked at together
)

// pageLimit returns how many items a page may have.
func (c *call) pageLimit(full bool) (int, *failure) {
	n, f := c.number("limit", 1, maxLimit, defaultLimit)
	if full {
		n = min(n, maxFull)
	}
	return n, f
}

// A memoryWalk goes through the memories of a store in byte order of path.
type memoryWalk struct {
	c       *call
	ws      *workspace.Workspace
	prefix  string // of paths of the workspace; "" or with a slash at the end
	shallow bool   // what is deeper counts as one prefix
	after   string // the last path that was passed; a slash at the end stands for all below
	files   []workspace.FileInfo
	more    bool // there are more files after these
}

func listMemories(c *call) (any, error) {
	full, f := c.full(false)
	if f != nil {
		return nil, f
	}
	limit, f := c.pageLimit(full)
	if f != nil {
		return nil, f
	}
	w := &memoryWalk{c: c, more: true}
	if f := w.readQuery(); f != nil {
		return nil, f
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	w.ws = s.ws
	page := pageObject{Data: []any{}}
	var views []workspace.FileView
	for bytes := int64(0); ; {
		item, err := w.next()
		if err != nil {
			return nil, err
		}
		if item == "" {
			break
		}
		if len(page.Data) == limit || full && bytes > maxPage {
			page.Next = c.cursor(w.after)
			break
		}
		if w.after = item; strings.HasSuffix(item, "/") {
			page.Data = append(page.Data, prefixObject{"memory_prefix", "/" + item})
			continue
		}
		v, err := workspace.ViewFile(c.ctx, w.ws, workspace.FileQuery{Path: item})
		if errors.Is(err, workspace.ErrNotFound) {
			continue // deleted a moment ago
		}
		if err != nil {
			return nil, err
		}
		bytes += v.Version.Size
		views = append(views, v)
		page.Data = append(page.Data, c.newMemory(v, nil, false))
	}
	if !full {
		return page, nil
	}
	page.Data, err = c.fill(s.ws, page.Data, views)
	return page, err
}

// fill puts the contents of some versions into the items of a page. Those that are gone by
// now are left out.
func (c *call) fill(ws *workspace.Workspace, items []any, views []workspace.FileView) ([]any, error) {
	bytes := int64(0)
	for _, v := range views {
		bytes += v.Version.Size
	}
	if f := c.take(contentWeight(bytes)); f != nil {
		return nil, f
	}
	filled := make([]any, 0, len(items))
	for _, item := range items {
		if _, isPrefix := item.(prefixObject); isPrefix {
			filled = append(filled, item)
			continue
		}
		seen := views[0]
		views = views[1:]
		v, err := again(c.ctx, ws, seen)
		switch o := item.(type) {
		case memoryObject:
			if errors.Is(err, workspace.ErrNotFound) || v.Version.Redacted != nil { // others have written meanwhile
				v, err = workspace.ViewFile(c.ctx, ws, workspace.FileQuery{Created: seen.File.Created, Content: true})
			}
			item = c.newMemory(v, v.Version.Content, true)
		case versionObject:
			o = c.newVersion(workspace.FileVersion{File: v.File, Version: v.Version, Op: workspace.VersionOp(o.Operation)})
			o.Content = contentOrNull(v.Version.Content, o.Redacted == nil)
			item = o
		}
		if err == nil {
			filled = append(filled, item)
		} else if !errors.Is(err, workspace.ErrNotFound) {
			return nil, err
		}
	}
	return filled, nil
}

func (w *memoryWalk) readQuery() *failure {
	depth, f := w.c.number("depth", 0, 1, 0)
	if f != nil {
		return f
	}
	w.shallow = depth == 1
	if text, given := w.c.query["path_prefix"]; given {
		inner, ok := strings.CutSuffix(text, "/")
		if !ok {
			return invalid("path_prefix must end with a slash, as in /notes/")
		}
		if inner != "" {
			if w.prefix, f = parsePath("path_prefix", inner); f != nil {
				return f
			}
			w.prefix += "/"
		}
	}
	if w.after, f = w.c.position(); f != nil || w.after == "" {
		return f
	}
	path, below := strings.CutSuffix(w.after, "/")
	rest, inside := strings.CutPrefix(path, w.prefix)
	if _, err := workspace.UnicodePaths.Parse(path); err != nil || !inside || below && !w.shallow || w.shallow && strings.Contains(rest, "/") {
		return errPage()
	}
	return nil
}

// next returns the path of the next item, with a slash at the end if it is a prefix. "": there
// is none.
func (w *memoryWalk) next() (string, error) {
	for {
		for len(w.files) > 0 {
			path := w.files[0].Path
			if path <= w.after || strings.HasSuffix(w.after, "/") && strings.HasPrefix(path, w.after) {
				w.files = w.files[1:]
				continue
			}
			if dir, _, deeper := strings.Cut(path[len(w.prefix):], "/"); w.shallow && deeper {
				return w.prefix + dir + "/", nil
			}
			return path, nil
		}
		if !w.more {
			return "", nil
		}
		if err := w.load(); err != nil {
			return "", err
		}
	}
}

// load gets the files after those that were passed. Nothing stands in the byte order between
// what is below a directory and the directory's name with the character after the slash.
func (w *memoryWalk) load() error {
	after := w.after
	w.files = nil
	if dir, below := strings.CutSuffix(after, "/"); below {
		after = dir + string(rune('/'+1))
		switch v, err := workspace.ViewFile(w.c.ctx, w.ws, workspace.FileQuery{Path: after}); {
		case err == nil:
			w.files = []workspace.FileInfo{{Path: v.File.Path}}
		case !errors.Is(err, workspace.ErrNotFound):
			return err
		}
	}
	list, err := w.ws.ListFiles(w.c.ctx, workspace.ListOptions{Prefix: w.prefix, After: after, Limit: chunk})
	w.files, w.more = append(w.files, list.Files...), list.More
	return err
}

package memorystores

import (
	"cmp"
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

// A page of a list grows until its limit, or until its items have many bytes.
type page struct {
	c     *call
	limit int
	most  int64 // bytes, after which the page ends
	bytes int64 // of the texts of the items
	items []item
	next  *string // the cursor of the next page; nil: there is none
}

// An item of a page. read returns the item with its content; nil: it is whole.
type item struct {
	object any
	read   func() (any, error)
}

// newPage reads from the query how long a page may be.
func (c *call) newPage(full bool) *page {
	limit := c.number("limit", 1, maxLimit, defaultLimit)
	if full {
		limit = min(limit, maxFull)
	}
	return &page{c: c, limit: limit, most: maxPage}
}

// ends reports whether the page has no place for another item. The next page begins after a
// position.
func (p *page) ends(position string) bool {
	if len(p.items) < p.limit && p.bytes <= p.most {
		return false
	}
	p.next = p.c.cursor(position)
	return true
}

// add adds an item. One without read has no bytes that count later.
func (p *page) add(object any, bytes int64, read func() (any, error)) {
	p.bytes += bytes
	p.items = append(p.items, item{object, read})
}

// answer returns the page. What is gone by now is left out.
func (p *page) answer() (any, error) {
	answer := pageObject{Data: make([]any, 0, len(p.items)), Next: p.next}
	if p.bytes > 0 {
		if err := p.c.take(contentWeight(p.bytes)); err != nil {
			return nil, err
		}
	}
	for _, i := range p.items {
		if i.read != nil {
			var err error
			if i.object, err = i.read(); errors.Is(err, workspace.ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		answer.Data = append(answer.Data, i.object)
	}
	return answer, nil
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
	full := c.full(false)
	p := c.newPage(full)
	w := &memoryWalk{c: c, more: true}
	w.readQuery()
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	w.ws = s.ws
	for {
		path, err := w.next()
		if err != nil {
			return nil, err
		}
		if path == "" || p.ends(w.after) {
			return p.answer()
		}
		if w.after = path; strings.HasSuffix(path, "/") {
			p.add(prefixObject{"memory_prefix", "/" + path}, 0, nil)
			continue
		}
		v, err := workspace.ViewFile(c.ctx, w.ws, workspace.FileQuery{Path: path})
		switch {
		case errors.Is(err, workspace.ErrNotFound): // deleted a moment ago
		case err != nil:
			return nil, err
		case full:
			p.add(nil, v.Version.Size, func() (any, error) {
				v, err := workspace.ViewFile(c.ctx, w.ws, workspace.FileQuery{Path: path, Content: true})
				return c.newMemory(v, v.Version.Content, true), err
			})
		default:
			p.add(c.newMemory(v, nil, false), 0, nil)
		}
	}
}

func (w *memoryWalk) readQuery() {
	w.shallow = w.c.number("depth", 0, 1, 0) == 1
	if text, given := w.c.query["path_prefix"]; given {
		inner, ok := strings.CutSuffix(text, "/")
		if !ok {
			w.c.invalid("path_prefix must end with a slash, as in /notes/")
		} else if inner != "" {
			prefix, err := parsePath("path_prefix", inner)
			w.c.wrong = cmp.Or(w.c.wrong, err)
			w.prefix = prefix + "/"
		}
	}
	if w.after = w.c.position(); w.after == "" {
		return
	}
	path, below := strings.CutSuffix(w.after, "/")
	rest, inside := strings.CutPrefix(path, w.prefix)
	_, err := workspace.UnicodePaths.Parse(path)
	if err != nil || !inside || below && !w.shallow || w.shallow && strings.Contains(rest, "/") {
		w.c.noPage()
	}
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

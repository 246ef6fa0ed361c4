package memorycommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// view shows a file or a folder.
func (c *Command) view(ctx context.Context, ws *workspace.Workspace) (string, error) {
	p, err := placeOf(c.Text("path"))
	if err != nil {
		return "", err
	}
	order := []func(context.Context, *workspace.Workspace, place, *lines) (string, error){viewFile, viewFolder}
	if p.slash {
		slices.Reverse(order)
	}
	text, err := order[0](ctx, ws, p, c.viewRange)
	first := err
	if errors.Is(err, workspace.ErrNotFound) && p.path != "" {
		text, err = order[1](ctx, ws, p, c.viewRange)
	}
	if errors.Is(err, workspace.ErrNotFound) {
		err = missing(p, errors.Join(first, err), noValidPath)
	}
	return text, err
}

func viewFile(ctx context.Context, ws *workspace.Workspace, p place, r *lines) (string, error) {
	f, err := ws.ReadFile(ctx, p.path, workspace.ReadOptions{})
	if err != nil {
		return "", err
	}
	total := countLines(f.Content)
	if total > maxLines {
		return "", refuse(workspace.ErrTooLarge, "File %s exceeds maximum line limit of 999,999 lines.", p.given)
	}
	first, last, err := r.of(total)
	if err != nil {
		return "", err
	}
	header := fmt.Sprintf("Here's the content of %s with line numbers:", p.given)
	return fit(header, numbered(f.Content, first, last), func(shown int) string {
		return goOn(first, last, shown, total)
	}), nil
}

// of returns the first and the last of the chosen lines in a text of total lines.
func (r *lines) of(total int) (first, last int, err error) {
	if r == nil {
		return 1, total, nil
	}
	from, to := max(r.first, 1), min(r.last, int64(total))
	if r.last == -1 {
		to = int64(total)
	}
	if from > to {
		return 0, 0, refuse(workspace.ErrInvalid,
			"view_range [%d, %d] shows nothing: there are %d lines, and the first "+
				"comes before the last; -1 is the end", r.first, r.last, total)
	}
	return int(from), int(to), nil
}

// goOn says what a cut view does not show, and how to see it.
func goOn(first, last, shown, total int) string {
	if shown == 0 {
		text := fmt.Sprintf("Line %d is longer than a view and ends early. str_replace can break it into several "+
			"lines.",
			first)
		if first < last {
			text += fmt.Sprintf(" View the lines after it with view_range [%d, %d].", first+1, last)
		}
		return text
	}
	return fmt.Sprintf("These are lines %d to %d of %d. View the next with view_range [%d, %d].",
		first, first+shown-1, total, first+shown, last)
}

// maxFiles is how many files are looked at for the view of a folder.
const maxFiles = 10_000

// A listing collects what a view of a folder shows.
type listing struct {
	bytes   int64 // of all files
	files   int   // that were looked at
	entries map[entry]int64
}

// An entry is a file or a folder up to two levels deep, by its names. The second is "" on
// the first level.
type entry struct {
	first, second string
	folder        bool
}

// viewFolder reads the files in pages. If others change files meanwhile, their changes may
// show or not.
func viewFolder(ctx context.Context, ws *workspace.Workspace, p place, r *lines) (string, error) {
	l := listing{entries: map[entry]int64{}}
	q := workspace.ListOptions{}
	if p.path != "" {
		q.Prefix = p.path + "/"
	}
	for more := true; more && l.files < maxFiles; {
		page, err := ws.ListFiles(ctx, q)
		if err != nil {
			return "", err
		}
		for _, f := range page.Files {
			l.add(strings.TrimPrefix(f.Path, q.Prefix), f.Bytes)
		}
		more, q.After = page.More, page.Next
	}
	if l.files == 0 && p.path != "" {
		return "", workspace.ErrNotFound
	}
	header := fmt.Sprintf("Here're the files and directories up to 2 levels deep in %s, excluding hidden items and "+
		"node_modules:", p.given)
	all := l.lines(p)
	first, last, err := r.of(len(all))
	if err != nil {
		return "", err
	}
	return fit(header, slices.Values(all[first-1:last]), func(shown int) string {
		return goOn(first, last, shown, len(all))
	}), nil
}

// add counts a file, by its path below the folder.
func (l *listing) add(path string, bytes int64) {
	l.bytes += bytes
	l.files++
	first, rest, below := strings.Cut(path, "/")
	if hidden(first) {
		return
	}
	l.entries[entry{first, "", below}] += bytes
	if !below {
		return
	}
	if second, _, below := strings.Cut(rest, "/"); !hidden(second) {
		l.entries[entry{first, second, below}] += bytes
	}
}

func hidden(name string) bool { return name[0] == '.' || name == "node_modules" }

// lines returns the lines of the list, the folder itself first.
func (l *listing) lines(p place) []string {
	keys := slices.SortedFunc(maps.Keys(l.entries), func(a, b entry) int {
		return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second),
			strings.Compare(a.name(), b.name()))
	})
	all := []string{size(l.bytes) + "\t" + p.given}
	for _, e := range keys {
		all = append(all, size(l.entries[e])+"\t"+p.folder()+"/"+e.name())
	}
	return all
}

// name returns the path of an entry below the folder. That of a folder ends in a slash.
func (e entry) name() string {
	name := e.first
	if e.second != "" {
		name += "/" + e.second
	}
	if e.folder {
		name += "/"
	}
	return name
}

// size returns a number of bytes for a person, such as 14B, 4.0K or 1.5M.
func size(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%dB", bytes)
	}
	n, unit := float64(bytes)/1024, 0
	for n >= 1023.95 && unit < 2 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%.1f%c", n, "KMG"[unit])
}

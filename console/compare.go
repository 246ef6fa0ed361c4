package console

import (
	"net/http"
	"slices"
	"sort"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxRows     = 1000    // rows of a page of a comparison
	maxCompared = 200_000 // lines of both versions; each takes 64 bytes of memory
)

// compareData is what the page that compares two versions of a file shows.
type compareData struct {
	fileHead
	comparison
	Old, New workspace.VersionInfo
	Missing  []string // sentences about versions that are not there; then there is no more

	Before, After   *step  // the changes before and after; nil: there are none
	Unified, Beside string // the addresses of the two layouts
	Whole, Parts    string // the addresses with all lines, and without

	TooLong        int // lines of both versions, if these are too many to compare them
	Removed, Added int
	Rows           []diffRow
	From, To, Of   int    // the rows that are here
	Earlier, Later string // the addresses of other rows; "": there are none
}

// A step is another comparison of the file.
type step struct {
	From, To int64
	Address  string
}

// compare shows two versions of a file beside each other.
func (v *visit) compare() error {
	c, ok := parseComparison(v.form)
	if !ok {
		return errNothingHere
	}
	if v.form.Get("view") == "compare" {
		return v.see(fileURL(v.ws.Agent(), v.path()) + c.String())
	}
	d, err := v.compareHead(c)
	if err != nil {
		return err
	}
	v.follow()
	if len(d.Missing) > 0 {
		return v.write(http.StatusNotFound, "compare", "Compare "+d.Path, d)
	}
	size := d.Old.Bytes + d.New.Bytes
	if err := v.take(v.h.room, 20*size+10*min(size, maxText)+512<<10); err != nil {
		return err
	}
	if err := d.compare(v); err != nil {
		return err
	}
	return v.render("compare", version(d.Old.Version)+" to "+version(d.New.Version)+" of "+d.Path, d)
}

// compareHead returns all but the rows.
func (v *visit) compareHead(c comparison) (*compareData, error) {
	versions, current, err := v.history(v.path())
	if err != nil {
		return nil, err
	}
	now := current.Version
	current = versions[len(versions)-1] // of a deleted file too
	d := &compareData{comparison: c}
	find := func(n int64) workspace.VersionInfo {
		i := slices.IndexFunc(versions, func(i workspace.VersionInfo) bool { return i.Version == n })
		if i >= 0 && versions[i].Redacted == nil {
			return versions[i]
		}
		if text := missingVersion(n, versions); !slices.Contains(d.Missing, text) {
			d.Missing = append(d.Missing, text)
		}
		return current
	}
	d.Old, d.New = find(c.A), find(c.B)
	d.fileHead = v.headOf(versions, workspace.ReadResult{
		Path: v.path(), Current: now, Version: d.New.Version})
	d.Tab = "Compare"
	d.links(versions)
	return d, nil
}

// links sets the addresses of other comparisons of the file.
func (d *compareData) links(versions []workspace.VersionInfo) {
	c := d.comparison
	d.Unified = c.with(func(c *comparison) { c.Split = false })
	d.Beside = c.with(func(c *comparison) { c.Split = true })
	d.Whole = c.with(func(c *comparison) { c.All = true })
	d.Parts = c.with(func(c *comparison) { c.All = false })
	between := func(i int) *step {
		if i < 0 || i+1 >= len(versions) {
			return nil
		}
		from, to := versions[i].Version, versions[i+1].Version
		return &step{from, to, c.with(func(c *comparison) { c.A, c.B = from, to })}
	}
	at := func(n int64) int {
		return slices.IndexFunc(versions, func(i workspace.VersionInfo) bool { return i.Version == n })
	}
	d.Before = between(at(min(d.Old.Version, d.New.Version)) - 1)
	d.After = between(at(max(d.Old.Version, d.New.Version)))
}

// compare reads the two versions, and sets the rows of the page.
func (d *compareData) compare(v *visit) error {
	old, err := v.read(d.Path, d.Old.Version)
	if err != nil {
		return err
	}
	new, err := v.read(d.Path, d.New.Version)
	if err != nil {
		return err
	}
	if n := linediff.Lines(old.Content) + linediff.Lines(new.Content); n > maxCompared {
		d.TooLong = n
		return nil
	}
	lines := diff.Compare(old.Content, new.Content)
	d.Removed, d.Added = lines.Lines()
	view := lines.View(diff.Options{SideBySide: d.Split, Context: d.context()})
	starts := view.Pages(maxRows, maxText, maxLine)
	d.Of = view.Len()
	if len(starts) == 0 {
		return nil
	}
	row := int(min(max(d.comparison.From-1, 0), int64(d.Of-1)))
	page := sort.SearchInts(starts, row+1) - 1
	from, to := starts[page], d.Of
	if page > 0 {
		d.Earlier = d.with(func(c *comparison) { c.From = int64(starts[page-1]) + 1 })
	}
	if page+1 < len(starts) {
		to = starts[page+1]
		d.Later = d.with(func(c *comparison) { c.From = int64(to) + 1 })
	}
	d.From, d.To = from+1, to
	l := diffLayout{old: lineAddress(old), new: lineAddress(new), first: view.Unfolded(from),
		whole: func(row int) string {
			return d.with(func(c *comparison) { c.All, c.From = true, int64(row)+1 })
		}}
	d.Rows = l.rows(view.Rows(from, to))
	return nil
}

// lineAddress returns what makes the address of a line of a version.
func lineAddress(r workspace.ReadResult) func(line int) string {
	address := "?v=" + number(r.Version) + "&view=source"
	whole := r.Lines <= maxLines && r.Bytes <= maxText
	return func(line int) string {
		if whole || line <= 1 {
			return address + "#L" + strconv.Itoa(line)
		}
		return address + "&from=" + strconv.Itoa(max(1, line-10)) + "#L" + strconv.Itoa(line)
	}
}

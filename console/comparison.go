package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// usualContext is how many equal lines a page has around a change.
const usualContext = 3

const (
	maxContext = 9999 // equal lines around a change
	maxOpen    = 50   // gaps that an address opens
)

// A comparison is what the address of a page asks for that compares two versions.
type comparison struct {
	A, B    string // the versions, as the address names them
	Split   bool   // side by side
	Context int    // equal lines around a change; -1: all
	Open    []int  // gaps to show, by their first old line
	From    int64  // a row that the page has, from 1; 0: the first
}

// currentName is the name of the current version in an address.
const currentName = "current"

// parseComparison reads the query of an address. ok is false if it asks for nothing that there can be.
func parseComparison(q url.Values) (c comparison, ok bool) {
	c.A, c.B, _ = strings.Cut(q.Get("diff"), "..")
	if q.Get("view") == "compare" {
		c.A, c.B = q.Get("a"), q.Get("b")
	}
	for _, name := range []string{c.A, c.B} {
		if n, _ := parseNumber(name); name != currentName && number(n) != name {
			return c, false
		}
	}
	as := q.Get("as")
	c.Split = as == "split"
	context, isNumber := parseNumber(q.Get("context"))
	switch c.Context = int(context); q.Get("context") {
	case "":
		c.Context = usualContext
	case "all":
		c.Context, isNumber = -1, true
	}
	for text := range strings.SplitSeq(q.Get("open"), ",") {
		line, ok := parseNumber(text)
		if !ok || line > 1<<30 || len(c.Open) == maxOpen {
			return c, false
		}
		if line > 0 {
			c.Open = append(c.Open, int(line))
		}
	}
	c.From, ok = parseNumber(q.Get("from"))
	return c, ok && isNumber && c.Context <= maxContext && slices.Contains([]string{"", "unified", "split"}, as)
}

// String returns the query of an address. All of it are digits, commas and words of this
// file.
func (c comparison) String() string {
	var b strings.Builder
	b.WriteString("?diff=" + c.A + ".." + c.B)
	if c.Split {
		b.WriteString("&as=split")
	}
	if span := c.Span(); span != "" {
		b.WriteString("&context=" + span)
	}
	for i, line := range c.Open {
		b.WriteString([]string{"&open=", ","}[min(i, 1)] + strconv.Itoa(line))
	}
	if c.From > 1 {
		b.WriteString("&from=" + number(c.From))
	}
	return b.String()
}

// with returns the query of the same comparison without opened gaps and from the first row,
// after a change.
func (c comparison) with(change func(*comparison)) string {
	c.Open, c.From = nil, 0
	change(&c)
	return c.String()
}

// Span is the number of equal lines around a change for a form. "" is the usual one.
func (c comparison) Span() string {
	switch c.Context {
	case -1:
		return "all"
	case usualContext:
		return ""
	}
	return strconv.Itoa(c.Context)
}

// opened returns the address of the page with the lines of a gap, which is in the row of a
// number.
func (c comparison) opened(line, row int) string {
	open := append(slices.Clone(c.Open), line)
	return c.with(func(c *comparison) {
		if c.From, c.Open = int64(row)+1, open; len(open) > maxOpen {
			c.Open, c.From, c.Context = nil, 0, -1
		}
	}) + "#A" + strconv.Itoa(line)
}

// missingVersion says why a version cannot be compared. versions are those that are kept, the
// oldest first.
func missingVersion(n int64, versions []workspace.VersionInfo) string {
	for _, v := range versions {
		if v.Version == n && v.Redacted != nil {
			return "Version " + number(n) + " was redacted at " + v.Redacted.Time.UTC().Format(time.RFC3339) +
				". Its text is gone for good."
		}
	}
	return "Version " + number(n) + " is not kept. Versions " + number(versions[0].Version) + " to " +
		number(versions[len(versions)-1].Version) + " are."
}

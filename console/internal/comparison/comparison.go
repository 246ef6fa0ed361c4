// Package comparison reads and writes the addresses of pages that compare two versions.
package comparison

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// UsualContext is how many equal lines a page has around a change.
const UsualContext = 3

const (
	maxContext = 9999 // equal lines around a change
	maxOpen    = 50   // gaps that an address opens
)

// A Query is what the address of a page asks for.
type Query struct {
	A, B    string // the versions, as the address names them
	Split   bool   // side by side
	Context int    // equal lines around a change; -1: all
	Open    []int  // gaps to show, by their first old line
	From    int64  // a row that the page has, from 1; 0: the first
}

// Current is the name of the current version in an address.
const Current = "current"

// Parse reads the query of an address. ok is false if it asks for nothing that there can be.
func Parse(q url.Values) (c Query, ok bool) {
	c.A, c.B, _ = strings.Cut(q.Get("diff"), "..")
	if q.Get("view") == "compare" {
		c.A, c.B = q.Get("a"), q.Get("b")
	}
	for _, name := range []string{c.A, c.B} {
		if n, err := positive(name); name != Current && (err != nil || strconv.FormatInt(n, 10) != name) {
			return c, false
		}
	}
	switch q.Get("as") {
	case "", "unified":
	case "split":
		c.Split = true
	default:
		return c, false
	}
	switch text := q.Get("context"); text {
	case "":
		c.Context = UsualContext
	case "all":
		c.Context = -1
	default:
		var err error
		if c.Context, err = strconv.Atoi(text); err != nil || c.Context < 0 || c.Context > maxContext {
			return c, false
		}
	}
	for text := range strings.SplitSeq(q.Get("open"), ",") {
		line, err := positive(text)
		if err != nil || line > 1<<30 || len(c.Open) == maxOpen {
			return c, false
		}
		if line > 0 {
			c.Open = append(c.Open, int(line))
		}
	}
	from, err := positive(q.Get("from"))
	c.From = from
	return c, err == nil
}

// String returns the query of an address. All of it are digits, commas and words of this
// package.
func (c Query) String() string {
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
		b.WriteString("&from=" + strconv.FormatInt(c.From, 10))
	}
	return b.String()
}

// With returns the query of the same comparison from the first row, after a change.
func (c Query) With(change func(*Query)) string {
	c.Open, c.From = slices.Clone(c.Open), 0
	change(&c)
	return c.String()
}

// Moving reports whether one of the sides is the current version, whichever it is.
func (c Query) Moving() bool { return c.A == Current || c.B == Current }

// Span is the number of equal lines around a change for a form. "" is the usual one.
func (c Query) Span() string {
	switch c.Context {
	case -1:
		return "all"
	case UsualContext:
		return ""
	}
	return strconv.Itoa(c.Context)
}

// Opened returns the address of the page with the lines of a gap, which is in the row of a
// number.
func (c Query) Opened(line, row int) string {
	return c.With(func(c *Query) {
		c.From = int64(row) + 1
		if c.Open = append(c.Open, line); len(c.Open) > maxOpen {
			c.Open, c.From, c.Context = nil, 0, -1
		}
	}) + "#A" + strconv.Itoa(line)
}

// positive reads a number above 0. "" is 0.
func positive(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n <= 0 {
		err = strconv.ErrRange
	}
	return n, err
}

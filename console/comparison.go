package console

import (
	"net/url"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// usualContext is how many equal lines a page has around a change.
const usualContext = 3

// A comparison is what the address of a page asks for that compares two versions.
type comparison struct {
	A, B  int64 // the versions
	Split bool  // side by side
	All   bool  // all equal lines, not only those around a change
	From  int64 // a row that the page has, from 1; 0: the first
}

// parseComparison reads the query of an address. ok is false if something in it is no number.
func parseComparison(q url.Values) (c comparison, ok bool) {
	a, b, _ := strings.Cut(q.Get("diff"), "..")
	if q.Get("view") == "compare" {
		a, b = q.Get("a"), q.Get("b")
	}
	c = comparison{Split: q.Get("as") == "split", All: q.Get("context") == "all"}
	var okA, okB, okFrom bool
	c.A, okA = parseNumber(a)
	c.B, okB = parseNumber(b)
	c.From, okFrom = parseNumber(q.Get("from"))
	return c, okA && okB && okFrom
}

// String returns the query of an address.
func (c comparison) String() string {
	q := "?diff=" + number(c.A) + ".." + number(c.B)
	if c.Split {
		q += "&as=split"
	}
	if c.All {
		q += "&context=all"
	}
	if c.From > 1 {
		q += "&from=" + number(c.From)
	}
	return q
}

// with returns the query of the same comparison from the first row, after a change.
func (c comparison) with(change func(*comparison)) string {
	c.From = 0
	change(&c)
	return c.String()
}

// context returns how many equal lines the page has around a change; -1: all.
func (c comparison) context() int {
	if c.All {
		return -1
	}
	return usualContext
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

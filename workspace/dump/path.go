package dump

import (
	"cmp"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A subject is the file or the log whose rows a [Checker] gets.
type subject struct {
	kind, path string // "file" or "log"; "" before the first
	headed     bool   // there was a row of its head
	orphaned   bool   // it was said that there is no head
	next, last int64  // the numbers of its versions or entries, as the head says
	bytes      int64  // of its summaries or entries so far
	want       int64  // the bytes that the head says

	file    store.FileHead
	summary bool             // there was one
	key     store.SummaryKey // of the last summary
}

// begin ends the subject before, unless the path is the same.
func (c *Checker) begin(kind, path string) {
	before := c.at
	if before.kind == kind && before.path == path {
		return
	}
	c.endSubject()
	c.at = subject{kind: kind, path: path}
	if before.kind == kind && path < before.path {
		c.problem("%s %s is in the wrong order", kind, path)
	}
}

// head begins a subject whose rows have the numbers next to last, and a number of bytes.
func (c *Checker) head(kind, path string, next, last, want int64) {
	c.begin(kind, path)
	if c.at.headed || c.at.orphaned {
		c.problem("%s %s is in the wrong order", kind, path)
	}
	c.at.headed, c.at.next, c.at.last, c.at.want = true, next, last, want
}

// endSubject finds what the subject lacks.
func (c *Checker) endSubject() {
	at := c.at
	if !at.headed {
		return
	}
	what, summed := "version", "summaries"
	if at.kind == "log" {
		what, summed = "entry", "entries"
	}
	if at.next <= at.last {
		c.missing(what)
	}
	if at.bytes != at.want {
		c.problem("%s %s: its %s have %d bytes, its head says %d", at.kind, at.path, summed, at.bytes, at.want)
	}
}

func (c *Checker) missing(what string) {
	c.problem("%s %s: %s %d is missing", c.at.kind, c.at.path, what, c.at.next)
}

// belongs reports whether there is a head. It reports once that there is none.
func (c *Checker) belongs(what string) bool {
	if !c.at.headed && !c.at.orphaned {
		c.at.orphaned = true
		c.problem("there are %s of %s, which is no %s", what, c.at.path, c.at.kind)
	}
	return c.at.headed
}

// number checks the number of a version or an entry, and reports whether the head has it.
func (c *Checker) number(what string, n int64) bool {
	at := &c.at
	switch {
	case n < at.next || n > at.last || at.summary || at.kind == "file" && !at.file.Has(n):
		c.problem("%s %s: %s %d is in the wrong order, or not one that its head has", at.kind, at.path, what, n)
		return false
	case n > at.next:
		c.missing(what)
	}
	at.next = n + 1
	for _, r := range at.file.Runs {
		if n+1 < r.First+r.Count {
			at.next = max(n+1, r.First)
			break
		}
	}
	return true
}

func (c *Checker) addFile(h *store.FileHead) {
	last := h.Version
	if n := len(h.Runs); n > 0 {
		last = h.Runs[n-1].First + h.Runs[n-1].Count - 1
	}
	c.head("file", h.Path, h.Oldest(), last, h.Summary)
	c.at.file = *h
	c.at.file.Sizes, c.at.file.Runs = slices.Clone(h.Sizes), slices.Clone(h.Runs)
	if h.Deleted {
		c.sum.DeletedFiles++
	} else {
		c.sum.Files++
	}
	if h.Deleted && len(h.Sizes) > 0 {
		c.sum.Restorable++
		c.sum.DeletedBytes += h.Kept()
		if c.expiry.IsZero() || h.Expires.Before(c.expiry) {
			c.expiry = h.Expires
		}
	}
	c.sum.Versions += int64(len(h.Sizes))
	c.sum.Bytes += h.Kept()
	if h.Path == "" || h.Version <= 0 || h.Oldest() < 1 || h.Summary < 0 ||
		!h.Deleted && (!h.Has(h.Version) || h.Deleter != store.Author{}) || h.Deleted && h.Summary != 0 ||
		h.Expires.IsZero() == (h.Deleted && len(h.Sizes) > 0) || !runsFit(h) ||
		slices.ContainsFunc(h.Sizes, func(n int64) bool { return n < 0 }) {
		c.problem("file %s: its head cannot be: %+v", h.Path, *h)
	}
}

// runsFit reports whether the runs of a head can be.
func runsFit(h *store.FileHead) bool {
	count, last := int64(0), int64(0)
	for _, r := range h.Runs {
		if r.First <= last || r.Count < 1 || r.Count > int64(len(h.Sizes)) {
			return false
		}
		count, last = count+r.Count, r.First+r.Count-1
	}
	return h.Runs == nil || count == int64(len(h.Sizes)) && last <= h.Version &&
		(h.Deleted || h.CreatedOf(last).Equal(h.Created))
}

func (c *Checker) addVersion(path string, v *store.Version, content content) {
	c.begin("file", path)
	c.report.Versions++
	c.content(content, v.SHA256, v.Redacted, "file %s: version %d", path, v.Number)
	if !c.belongs("versions") || !c.number("version", v.Number) {
		return
	}
	h := c.at.file
	if v.Redacted != nil && v.Number == h.Version && !h.Deleted {
		c.problem("file %s: version %d: it is redacted, and is the current one", path, v.Number)
	}
	if size := h.SizeOf(v.Number); v.Size != size || content.size != size {
		c.problem("file %s: version %d: it has %d bytes and says %d, its head says %d", path, v.Number, content.size,
			v.Size, size)
	}
}

// addSummary also finds a summary of another version than the current one, which no file
// keeps.
func (c *Checker) addSummary(path string, s *store.Summary, content content) {
	c.begin("file", path)
	c.content(content, s.SHA256, nil, "file %s: summary of version %d", path, s.Version)
	c.sum.Bytes += content.size
	c.at.bytes += content.size
	if c.at.summary && CompareKeys(s.SummaryKey, c.at.key) <= 0 {
		c.problem("file %s: summary of version %d is in the wrong order", path, s.Version)
	}
	c.at.key, c.at.summary = s.SummaryKey, true
	if !c.belongs("summaries") {
		return
	}
	if h := c.at.file; h.Deleted || h.Version != s.Version {
		c.problem("file %s: there is a summary of version %d, which is not the current one", path, s.Version)
	}
	if s.Tokens < 0 {
		c.problem("file %s: summary of version %d: it has %d tokens", path, s.Version, s.Tokens)
	}
}

// CompareKeys compares keys in the order of a dump.
func CompareKeys(a, b store.SummaryKey) int {
	return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Model, b.Model),
		cmp.Compare(a.Prompt, b.Prompt))
}

func (c *Checker) addLog(h *store.LogHead) {
	c.head("log", h.Path, h.First, h.Last, h.Bytes)
	if h.Deleted {
		c.sum.DeletedLogs++
	} else {
		c.sum.Logs++
	}
	c.sum.Entries += h.Entries()
	c.sum.Bytes += h.Bytes
	if h.Path == "" || h.First <= 0 || h.Last <= 0 || h.First > h.Last+1 || h.Bytes < 0 ||
		h.Deleted && (h.First != h.Last+1 || h.Bytes != 0) {
		c.problem("log %s: its head cannot be: %+v", h.Path, *h)
	}
}

func (c *Checker) addEntry(path string, e *store.Entry, content content) {
	c.begin("log", path)
	c.report.Entries++
	c.content(content, e.SHA256, e.Redacted, "log %s: entry %d", path, e.ID)
	c.at.bytes += content.size
	if c.belongs("entries") {
		c.number("entry", e.ID)
	}
}

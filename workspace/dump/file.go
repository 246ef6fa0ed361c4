package dump

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A file is what a [Checker] knows of the path whose rows it gets.
type file struct {
	begun    bool // there was a row
	path     string
	head     *store.FileHead  // nil: there is none
	next     int64            // the version that comes next, if there is a head
	key      store.SummaryKey // of the last summary
	summary  bool             // there was one
	bytes    int64            // of the summaries
	reported string           // of which rows it was said that there is no head
}

func (c *Checker) addFile(h *store.FileHead) {
	c.beginFile(h.Path)
	if c.file.head != nil || c.file.reported != "" {
		c.problem("file %s is in the wrong order", h.Path)
	}
	head := *h
	head.Sizes = slices.Clone(h.Sizes)
	c.file.head, c.file.next = &head, h.Oldest()
	if h.Deleted {
		c.sum.DeletedFiles++
	} else {
		c.sum.Files++
	}
	c.sum.Versions += int64(len(h.Sizes))
	sound := h.Path != "" && h.Version > 0 && int64(len(h.Sizes)) <= h.Version && h.Summary >= 0
	if h.Deleted {
		sound = sound && len(h.Sizes) == 0 && h.Summary == 0
	} else {
		sound = sound && len(h.Sizes) > 0
	}
	for _, size := range h.Sizes {
		sound = sound && size >= 0
		c.sum.Bytes += size
	}
	if !sound {
		c.problem("file %s: its head cannot be: %+v", h.Path, *h)
	}
}

// beginFile ends the file before, unless the path is the same.
func (c *Checker) beginFile(path string) {
	if c.file.begun && c.file.path == path {
		return
	}
	before := c.file
	c.endFile()
	c.file = file{begun: true, path: path}
	if before.begun && path < before.path {
		c.problem("file %s is in the wrong order", path)
	}
}

// endFile finds what the last file lacks.
func (c *Checker) endFile() {
	f := c.file
	if f.head == nil {
		return
	}
	if f.next <= f.head.Version && len(f.head.Sizes) > 0 {
		c.problem("file %s: version %d is missing", f.path, f.next)
	}
	if f.bytes != f.head.Summary {
		c.problem("file %s: its summaries have %d bytes, its head says %d", f.path, f.bytes, f.head.Summary)
	}
}

// noFile reports once for the versions of a path, and once for its summaries, that there is
// no head.
func (c *Checker) noFile(what string) bool {
	if c.file.head == nil && c.file.reported != what {
		c.file.reported = what
		c.problem("there are %s of %s, which is no file", what, c.file.path)
	}
	return c.file.head == nil
}

func (c *Checker) addVersion(path string, v *store.Version) {
	c.beginFile(path)
	c.report.Versions++
	if v.Redacted == nil {
		c.content(v.Content, v.SHA256, "file %s: version %d", path, v.Number)
	} else if len(v.Content) > 0 || v.SHA256 != [sha256.Size]byte{} {
		c.problemOf(store.ErrCorrupt, "file %s: version %d: it is redacted, and has content or a SHA-256", path,
			v.Number)
	}
	if c.noFile("versions") {
		return
	}
	h := c.file.head
	switch {
	case v.Number < c.file.next || v.Number > h.Version || c.file.summary:
		c.problem("file %s: version %d is in the wrong order, or not one that its head has", path, v.Number)
		return
	case v.Number > c.file.next:
		c.problem("file %s: version %d is missing", path, c.file.next)
	}
	c.file.next = v.Number + 1
	if v.Redacted != nil && v.Number == h.Version {
		c.problem("file %s: version %d: it is redacted, and is the current one", path, v.Number)
	}
	if size := h.Sizes[v.Number-h.Oldest()]; v.Size != size || int64(len(v.Content)) != size {
		c.problem("file %s: version %d: it has %d bytes and says %d, its head says %d", path, v.Number, len(v.Content),
			v.Size, size)
	}
}

// addSummary also finds a summary of another version than the current one, which no file
// keeps.
func (c *Checker) addSummary(path string, s *store.Summary) {
	c.beginFile(path)
	c.content(s.Content, s.SHA256, "file %s: summary of version %d", path, s.Version)
	c.sum.Bytes += int64(len(s.Content))
	c.file.bytes += int64(len(s.Content))
	if c.file.summary && CompareKeys(s.SummaryKey, c.file.key) <= 0 {
		c.problem("file %s: summary of version %d is in the wrong order", path, s.Version)
	}
	c.file.key, c.file.summary = s.SummaryKey, true
	if c.noFile("summaries") {
		return
	}
	if h := c.file.head; h.Deleted || h.Version != s.Version {
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

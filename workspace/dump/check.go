package dump

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Checker checks the rows of one owner, in the order of [store.Store.Dump]. Its memory
// does not grow with the number of rows. The zero value is ready for the first row. A
// Checker is for one goroutine.
type Checker struct {
	report Report
	found  error // the first problem since Add or End was called
	seen   bool  // the state
	part   int   // of the last row, see partOf
	sum    store.OwnerState
	at     subject
	expiry time.Time // the first of a deleted file that retains versions
	key    string    // of the last request
	digest hash.Hash
}

// A Report says what a [Checker] has found.
type Report struct {
	State                          store.OwnerState // the zero value if there is no row of it
	Rows, Versions, Entries, Bytes int64            // how many were checked; Bytes are those of all contents
	Digest                         [sha256.Size]byte
	// Problems are at most 100. Each names its object, but not the owner. nil: the rows fit
	// together.
	Problems []string
}

const mostProblems = 100

// Add checks a row against those before it. The error is the first problem that shows with
// this row: [store.ErrCorrupt] for content that does not match its SHA-256, else
// [store.ErrInvalid]. The next row may be added all the same. Add keeps nothing of the row.
func (c *Checker) Add(r store.Row) error {
	c.found = nil
	c.report.Rows++
	content := c.addDigest(r)
	part := partOf(r)
	switch {
	case part == 0:
		c.problem("row %d is not one row", c.report.Rows)
		return c.found
	case part < c.part, part == partState && c.seen:
		c.problem("row %d is in the wrong order", c.report.Rows)
		return c.found
	}
	c.part = part
	switch {
	case r.State != nil:
		c.addState(r.State)
	case r.Change != nil:
		c.addChange(r.Change)
	case r.File != nil:
		c.addFile(r.File)
	case r.Version != nil:
		c.addVersion(r.Path, r.Version, content)
	case r.Summary != nil:
		c.addSummary(r.Path, r.Summary, content)
	case r.Log != nil:
		c.addLog(r.Log)
	case r.Entry != nil:
		c.addEntry(r.Path, r.Entry, content)
	case r.Request != nil:
		c.addRequest(r.Request)
	}
	return c.found
}

// End returns the report, and the first problem that shows at the end, such as counters
// that differ from the rows. No row is added after it.
func (c *Checker) End() (Report, error) {
	c.found = nil
	c.endSubject()
	have, sum := c.report.State, c.sum
	sum.Operations, sum.FileFloor, sum.LogFloor, sum.Updated = have.Operations, have.FileFloor, have.LogFloor,
		have.Updated
	sum.NextExpiry = c.expiry
	if sum.Changes == 0 {
		sum.Revision = have.Revision
	}
	if sum != have {
		c.problem("the counters say %+v, the content is %+v", have, sum)
	}
	if c.digest == nil {
		c.digest = sha256.New()
	}
	c.digest.Sum(c.report.Digest[:0])
	return c.report, c.found
}

// The parts of a dump, in their order.
const (
	partState = iota + 1
	partChanges
	partFiles
	partLogs
	partRequests
)

// partOf returns the part that a row belongs to, and 0 unless exactly one pointer is set.
func partOf(r store.Row) (part int) {
	for _, p := range []struct {
		set  bool
		part int
	}{
		{r.State != nil, partState}, {r.Change != nil, partChanges},
		{r.File != nil, partFiles}, {r.Version != nil, partFiles}, {r.Summary != nil, partFiles},
		{r.Log != nil, partLogs}, {r.Entry != nil, partLogs}, {r.Request != nil, partRequests},
	} {
		switch {
		case p.set && part != 0:
			return 0
		case p.set:
			part = p.part
		}
	}
	return part
}

func (c *Checker) problem(format string, args ...any) { c.problemOf(store.ErrInvalid, format, args...) }

func (c *Checker) problemOf(kind error, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.found == nil {
		c.found = store.Errorf(kind, "%s", text)
	}
	if len(c.report.Problems) < mostProblems {
		c.report.Problems = append(c.report.Problems, text)
	}
}

// content is what a [Checker] keeps of the content of a row.
type content struct {
	size   int64
	sha256 [sha256.Size]byte
}

// addDigest adds a row to the digest, which is the SHA-256 of all rows as JSON. A content
// stands there as its size and its own SHA-256. addDigest returns it.
func (c *Checker) addDigest(r store.Row) content {
	if c.digest == nil {
		c.digest = sha256.New()
	}
	var text []byte
	switch {
	case r.Version != nil:
		r.Version = new(*r.Version)
		text, r.Version.Content = r.Version.Content, nil
	case r.Summary != nil:
		r.Summary = new(*r.Summary)
		text, r.Summary.Content = r.Summary.Content, nil
	case r.Entry != nil:
		r.Entry = new(*r.Entry)
		text, r.Entry.Content = r.Entry.Content, nil
	}
	found := content{int64(len(text)), sha256.Sum256(text)}
	line, err := json.Marshal(r)
	if err != nil {
		c.problem("row %d: %v", c.report.Rows, err) // a time after the year 9999
	}
	fmt.Fprintf(c.digest, "%s %d %x\n", line, found.size, found.sha256)
	return found
}

// content counts content, and compares it with its SHA-256. What is redacted has neither.
func (c *Checker) content(
	content content, sum [sha256.Size]byte, redacted *store.Redaction, format string, args ...any,
) {
	c.report.Bytes += content.size
	switch {
	case redacted == nil && content.sha256 != sum:
		c.problemOf(store.ErrCorrupt, format+": its bytes do not match their SHA-256", args...)
	case redacted != nil && (content.size > 0 || sum != [sha256.Size]byte{}):
		c.problemOf(store.ErrCorrupt, format+": it is redacted, and has content or a SHA-256", args...)
	}
}

func (c *Checker) addState(s *store.OwnerState) {
	c.seen = true
	c.report.State = *s
	for _, n := range []int64{s.Files, s.Logs, s.Entries, s.Bytes, s.Operations, s.FileFloor, s.LogFloor,
		s.DeletedFiles, s.DeletedLogs, s.Requests, s.Versions, s.Revision, s.Changes, s.DeletedBytes, s.Restorable} {
		if n < 0 {
			c.problem("a counter is below 0: %+v", *s)
			return
		}
	}
	if *s == (store.OwnerState{}) {
		c.problem("there is a row of a state that is zero")
	}
}

func (c *Checker) addChange(ch *store.Change) {
	next := c.sum.Revision + 1
	switch {
	case ch.Revision < next:
		c.problem("change %d is in the wrong order", ch.Revision)
	case c.sum.Changes > 0 && ch.Revision > next:
		c.problem("change %d is missing", next)
	}
	c.sum.Changes++
	c.sum.Revision = max(ch.Revision, c.sum.Revision)
}

func (c *Checker) addRequest(q *store.Request) {
	if c.sum.Requests > 0 && q.Key <= c.key {
		c.problem("request %q is in the wrong order", q.Key)
	}
	c.sum.Requests++
	c.key = q.Key
}

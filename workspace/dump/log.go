package dump

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// A log is what a [Checker] knows of the path whose rows it gets.
type log struct {
	begun    bool // there was a row
	path     string
	head     *store.LogHead // nil: there is none
	next     int64          // the entry that comes next, if there is a head
	bytes    int64          // of the entries
	reported bool           // that there is no head
}

func (c *Checker) addLog(h *store.LogHead) {
	c.beginLog(h.Path)
	if c.log.head != nil || c.log.reported {
		c.problem("log %s is in the wrong order", h.Path)
	}
	head := *h
	c.log.head, c.log.next = &head, h.First
	if h.Deleted {
		c.sum.DeletedLogs++
	} else {
		c.sum.Logs++
	}
	c.sum.Entries += h.Entries()
	c.sum.Bytes += h.Bytes
	sound := h.Path != "" && h.First > 0 && h.Last > 0 && h.First <= h.Last+1 && h.Bytes >= 0
	if h.Deleted {
		sound = sound && h.First == h.Last+1 && h.Bytes == 0
	}
	if !sound {
		c.problem("log %s: its head cannot be: %+v", h.Path, *h)
	}
}

// beginLog ends the log before, unless the path is the same.
func (c *Checker) beginLog(path string) {
	if c.log.begun && c.log.path == path {
		return
	}
	before := c.log
	c.endLog()
	c.log = log{begun: true, path: path}
	if before.begun && path < before.path {
		c.problem("log %s is in the wrong order", path)
	}
}

// endLog finds what the last log lacks.
func (c *Checker) endLog() {
	l := c.log
	if l.head == nil {
		return
	}
	if l.next <= l.head.Last {
		c.problem("log %s: entry %d is missing", l.path, l.next)
	}
	if l.bytes != l.head.Bytes {
		c.problem("log %s: %d bytes are stored, its head says %d", l.path, l.bytes, l.head.Bytes)
	}
}

func (c *Checker) addEntry(path string, e *store.Entry) {
	c.beginLog(path)
	c.report.Entries++
	c.content(e.Content, e.SHA256, "log %s: entry %d", path, e.ID)
	c.log.bytes += int64(len(e.Content))
	if c.log.head == nil {
		if !c.log.reported {
			c.log.reported = true
			c.problem("there are entries of %s, which is no log", path)
		}
		return
	}
	switch {
	case e.ID < c.log.next || e.ID > c.log.head.Last:
		c.problem("log %s: entry %d is in the wrong order, or not one that its head has", path, e.ID)
		return
	case e.ID > c.log.next:
		c.problem("log %s: entry %d is missing", path, c.log.next)
	}
	c.log.next = e.ID + 1
}

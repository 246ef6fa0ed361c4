package conversation

import "sort"

// An entry is a message of a window, with what is needed to decide where to cut. All
// of it depends only on this entry and the entries before it.
type entry struct {
	msg      Message
	seq      int64
	imported bool // it came by Import and is not in the journal; seq is that of the newest record at the time

	total    int  // tokens of the entries up to and with this one; 0 if no option counts tokens
	estimate int  // its own tokens, estimated; 0: not estimated yet
	user     int  // index of the newest message of the user up to this one; -1: none
	cut      int  // greatest index up to this one before which a cut may be made
	userCut  int  // the same, with a message of the user at the index; -1: none
	cutAfter bool // a cut may be made after it
	question bool // it is a message of the user
	compact  int  // index of the newest compaction of the provider up to this one; -1: none
}

// added is a message on its way into a window.
type added struct {
	msg      Message
	seq      int64
	imported bool
	tokens   int
}

// A window holds the messages that are kept verbatim, without the leading system
// messages.
type window struct {
	entries []entry
	scan    scanner
	tried   int // due has looked at the first 1, 2, ... entries up to this many, and found no summary due
}

// push adds a message to the end.
func (w *window) push(a added) {
	i := len(w.entries)
	e := entry{msg: a.msg, seq: a.seq, imported: a.imported, total: a.tokens, user: -1, userCut: -1, compact: -1}
	if i > 0 {
		last := &w.entries[i-1]
		e.total += last.total
		e.user, e.cut, e.userCut, e.compact = last.user, last.cut, last.userCut, last.compact
	}
	before, after := w.scan.next(&e.msg)
	e.cutAfter = after
	if before {
		e.cut = i
	}
	if w.scan.compacted {
		e.compact = i
	}
	if e.question = w.scan.question; e.question {
		e.user = i
		if before {
			e.userCut = i
		}
	}
	w.entries = append(w.entries, e)
}

// tokens returns the tokens of the entries from i up to but not including n.
func (w *window) tokens(i, n int) int {
	if n == 0 {
		return 0
	}
	total := w.entries[n-1].total
	if i > 0 {
		total -= w.entries[i-1].total
	}
	return total
}

// keep says how much of the end is kept. If both are set, the shorter end counts. If
// one is set, the other is no limit. If none is set, nothing is kept.
type keep struct {
	last, tokens int
}

// start returns where the end begins that is kept of the first n entries. pinned is
// the message of the user that is kept before it, or -1.
func (w *window) start(n int, k keep) (start, pinned int) {
	if n == 0 {
		return 0, -1
	}
	start = n
	if k.last > 0 {
		start = max(0, n-k.last)
	}
	if k.tokens > 0 {
		byTokens := sort.Search(n, func(i int) bool { return w.tokens(i, n) <= k.tokens })
		if k.last == 0 || byTokens > start {
			start = byTokens
		}
	}
	user := w.entries[n-1].user
	if last := &w.entries[n-1]; start == n && (user == n-1 || last.msg.Role != Assistant && !last.question &&
		last.msg.Role != System) {
		start = n - 1 // a question, or a result that the model has not read yet
	}
	switch {
	case start < n:
		start = w.entries[start].cut
	case !w.entries[n-1].cutAfter:
		start = w.entries[n-1].cut
	}
	if i := w.entries[n-1].compact; i >= 0 && i < start {
		start = w.entries[i].cut // nothing else carries what came before the compaction
	}
	if user >= start && w.entries[start].userCut >= 0 {
		start = w.entries[start].userCut
	}
	return start, w.pinned(start, n)
}

// pinned returns the newest message of the user before start, or -1. It is kept
// before an end that does not begin with a message of the user itself.
func (w *window) pinned(start, n int) int {
	if start == 0 || start < n && w.entries[start].question {
		return -1
	}
	return w.entries[start-1].user
}

// rest returns a window of the entries from start on, after the pinned one.
func (w *window) rest(start int) window {
	r := window{entries: make([]entry, 0, 2*(len(w.entries)-start)+1)}
	if i := w.pinned(start, len(w.entries)); i >= 0 {
		r.push(w.added(i))
	}
	for i := start; i < len(w.entries); i++ {
		r.push(w.added(i))
	}
	return r
}

func (w *window) added(i int) added {
	e := &w.entries[i]
	return added{msg: e.msg, seq: e.seq, imported: e.imported, tokens: w.tokens(i, i+1)}
}

// after returns the index of the first entry with a greater Seq.
func (w *window) after(seq int64) int {
	return sort.Search(len(w.entries), func(i int) bool { return w.entries[i].seq > seq })
}

// blocked reports whether the window has twice the size at which a summary is due,
// and a call without a result keeps it from shrinking.
func (w *window) blocked(t trigger) bool {
	n := len(w.entries)
	return len(w.scan.open) > 0 && (t.messages > 0 && n >= 2*t.messages || t.tokens > 0 && w.tokens(0, n) >= 2*t.tokens)
}

func (w *window) messages() []Message {
	msgs := make([]Message, len(w.entries))
	for i := range w.entries {
		msgs[i] = w.entries[i].msg
	}
	return msgs
}

// A cover says which messages a summary will replace.
type cover struct {
	msgs     []Message // the oldest first; they must not be changed
	start    int       // index of the first entry that is kept
	through  int64     // Seq of the last entry before start
	imported bool      // that entry is not in the journal
}

// A trigger says when a summary is due, and how much of the window is kept then.
type trigger struct {
	messages, tokens int // 0: never
	keep             keep
	least            int // the tokens that the summary must replace
}

// due returns what the next summary covers. That is decided when the summary is due
// first; later messages do not change it. due takes constant time, amortised.
func (w *window) due(t trigger) (cover, bool) {
	for n := w.tried + 1; n <= len(w.entries); n++ {
		byMessages := t.messages > 0 && n >= t.messages
		byTokens := t.tokens > 0 && w.tokens(0, n) >= t.tokens
		if byMessages || byTokens {
			if c, ok := w.cover(n, t, byMessages, byTokens); ok {
				return c, true
			}
		}
		w.tried = n
	}
	return cover{}, false
}

// cover returns what a summary of the first n entries would cover. It reports false if
// that is nothing, or has fewer tokens than t.least. It also reports false if so much
// would be kept that the next message triggers another summary, and this one would
// cover less than usual. Otherwise the model would be called for each message.
func (w *window) cover(n int, t trigger, byMessages, byTokens bool) (cover, bool) {
	start, pinned := w.start(n, t.keep)
	count, tokens := start, w.tokens(0, start)
	if pinned >= 0 {
		count, tokens = count-1, tokens-w.tokens(pinned, pinned+1)
	}
	enough := byMessages && (n-count < t.messages || count >= t.messages-t.keep.last) ||
		byTokens && (w.tokens(0, n)-tokens < t.tokens || tokens >= t.tokens-t.keep.tokens)
	if count <= 0 || !enough {
		return cover{}, false
	}
	if t.least > 0 && w.estimate(start) < t.least {
		return cover{}, false
	}
	c := cover{start: start, through: w.entries[start-1].seq, imported: w.entries[start-1].imported}
	for i := range w.entries[:start] {
		// If the end is empty, the next message may replace the pinned one.
		if i != pinned || start == n {
			c.msgs = append(c.msgs, w.entries[i].msg)
		}
	}
	return c, true
}

// estimate returns the estimated tokens of the first n entries.
func (w *window) estimate(n int) (total int) {
	for i := range w.entries[:n] {
		e := &w.entries[i]
		if e.estimate == 0 {
			e.estimate = EstimateTokens(e.msg)
		}
		total += e.estimate
	}
	return total
}

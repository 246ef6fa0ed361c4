package conversation

import (
	"slices"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// Notes is a list of texts that an agent wants to remember for a while. The zero value
// is empty and ready for use. Notes is safe for concurrent use, and must not be
// copied.
type Notes struct {
	mu    sync.RWMutex // guards notes
	notes []string     // only ever appended to: Render reads it without the lock
}

// Note adds a text to the end.
func (n *Notes) Note(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, text)
}

// Notes returns the texts in order. The slice belongs to the caller.
func (n *Notes) Notes() []string { return append([]string{}, n.list()...) }

// Clear removes all notes.
func (n *Notes) Clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = nil
}

// Len returns how many notes there are.
func (n *Notes) Len() int { return len(n.list()) }

func (n *Notes) list() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Clip(n.notes)
}

// NotesOptions of [Notes.Render]. The zero value renders all notes, one a line.
type NotesOptions struct {
	MaxTokens   int                   // the most tokens of the result; 0: no limit; negative: the result is ""
	CountTokens func(text string) int // nil: tokens.Estimate; a negative count stands for 0
	Separator   string                // between two notes; "": a newline
}

// Render returns the notes for a prompt, in order. If they have more than MaxTokens,
// the oldest are left out. No note is cut: if the newest note alone does not fit, the
// result is "". Render finds the most notes that fit, provided that CountTokens never
// returns less for more text.
//
// CountTokens is called without any lock held. It counts a few times as much text as
// fits, however many notes there are. A long note that does not fit may be counted a
// few times.
func (n *Notes) Render(o NotesOptions) string {
	f := fitting{notes: n.list(), separator: o.Separator, max: o.MaxTokens, counter: o.CountTokens}
	if f.separator == "" {
		f.separator = "\n"
	}
	if f.counter == nil {
		f.counter = tokens.Estimate
	}
	switch {
	case o.MaxTokens < 0:
		return ""
	case o.MaxTokens == 0:
		return strings.Join(f.notes, f.separator)
	}
	return f.fit()
}

// A fitting finds how many of the newest notes fit.
type fitting struct {
	notes     []string
	separator string
	max       int
	counter   func(string) int

	fits, over span // the most notes known to fit, and the fewest known not to fit
}

// A span is a number of the newest notes.
type span struct {
	notes, bytes int
	tokens       int
	text         string
}

// fit doubles the bytes until they do not fit, and then closes in on the limit.
func (f *fitting) fit() string {
	for f.fits.notes < len(f.notes) && f.over.notes == 0 {
		f.try(f.grown(f.fits, max(f.fits.bytes, f.max)))
	}
	for probe := 1; f.over.notes-f.fits.notes > 1; probe++ {
		f.try(f.grown(f.fits, f.step(probe)))
	}
	return f.fits.text
}

// grown returns s with more notes: at least one, and as many as have the given bytes,
// but fewer than are known to be too many.
func (f *fitting) grown(s span, bytes int) span {
	most := len(f.notes)
	if f.over.notes > 0 {
		most = f.over.notes - 1
	}
	for enough := s.bytes + bytes; s.notes < most; {
		size := len(f.notes[len(f.notes)-1-s.notes]) + len(f.separator)
		if s.notes > f.fits.notes && s.bytes+size > enough {
			break
		}
		s.notes++
		s.bytes += size
	}
	return s
}

// step returns how many bytes to try next. It estimates from the counts where the
// limit is. Every second probe takes half of the way, in case the counts mislead.
func (f *fitting) step(probe int) int {
	bytes, count := f.over.bytes-f.fits.bytes, f.over.tokens-f.fits.tokens
	if probe%2 == 0 || count <= 0 {
		return bytes / 2
	}
	return int(float64(bytes) * float64(f.max-f.fits.tokens) / float64(count))
}

// try counts a span, and keeps it as one that fits or as one that does not.
func (f *fitting) try(s span) {
	s.text = strings.Join(f.notes[len(f.notes)-s.notes:], f.separator)
	s.tokens = max(0, f.counter(s.text))
	if s.tokens > f.max {
		s.text = ""
		f.over = s
	} else {
		f.fits = s
	}
}

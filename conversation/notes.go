package conversation

import (
	"slices"
	"sort"
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
// returns less for more text. CountTokens is called without any lock held.
func (n *Notes) Render(o NotesOptions) string {
	notes := n.list()
	if o.Separator == "" {
		o.Separator = "\n"
	}
	if o.CountTokens == nil {
		o.CountTokens = tokens.Estimate
	}
	newest := func(n int) string { return strings.Join(notes[len(notes)-n:], o.Separator) }
	switch {
	case o.MaxTokens < 0:
		return ""
	case o.MaxTokens == 0:
		return newest(len(notes))
	}
	isOver := func(n int) bool { return o.CountTokens(newest(n)) > o.MaxTokens }
	most := 1 // doubled until they are too many, so that old notes are not counted
	for most < len(notes) && !isOver(most) {
		most *= 2
	}
	most = min(most, len(notes))
	return newest(sort.Search(most, func(i int) bool { return isOver(i + 1) }))
}

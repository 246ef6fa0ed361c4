package conversation_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

func noted(texts ...string) *conversation.Notes {
	n := new(conversation.Notes)
	for _, text := range texts {
		n.Note(text)
	}
	return n
}

func TestNotesRender(t *testing.T) {
	testkit.SkipInShort(t)
	letters := func(text string) int { return len(text) }
	three := []string{"one", "three", "five"}
	for _, c := range []struct {
		notes []string
		o     conversation.NotesOptions
		want  string
	}{
		{nil, conversation.NotesOptions{}, ""},
		{nil, conversation.NotesOptions{MaxTokens: 5}, ""},
		{three, conversation.NotesOptions{}, "one\nthree\nfive"},
		{three, conversation.NotesOptions{Separator: "; "}, "one; three; five"},
		{three, conversation.NotesOptions{MaxTokens: 14, CountTokens: letters}, "one\nthree\nfive"},
		{three, conversation.NotesOptions{MaxTokens: 13, CountTokens: letters}, "three\nfive"},
		{three, conversation.NotesOptions{MaxTokens: 10, CountTokens: letters}, "three\nfive"},
		{three, conversation.NotesOptions{MaxTokens: 10, CountTokens: letters, Separator: "; "}, "five"},
		{three, conversation.NotesOptions{MaxTokens: 9, CountTokens: letters}, "five"},
		{three, conversation.NotesOptions{MaxTokens: 4, CountTokens: letters}, "five"},
		{three, conversation.NotesOptions{MaxTokens: 3, CountTokens: letters}, ""}, // though "one" would fit
		{three, conversation.NotesOptions{MaxTokens: -1, CountTokens: letters}, ""},
		{three, conversation.NotesOptions{MaxTokens: math.MinInt}, ""},
		{three, conversation.NotesOptions{MaxTokens: math.MaxInt}, "one\nthree\nfive"},
		{three, conversation.NotesOptions{MaxTokens: math.MaxInt - 1, CountTokens: func(string) int { return math.MaxInt }}, ""},
		{three, conversation.NotesOptions{MaxTokens: 1, CountTokens: func(string) int { return -5 }}, "one\nthree\nfive"},
		{[]string{"", "", ""}, conversation.NotesOptions{MaxTokens: 1, CountTokens: letters}, "\n"},
	} {
		if got := noted(c.notes...).Render(c.o); got != c.want {
			t.Errorf("notes %q with %d tokens and separator %q are %q, want %q", c.notes, c.o.MaxTokens, c.o.Separator, got, c.want)
		}
	}
	long := noted(strings.Repeat("many words of a note ", 50), "short")
	if got := long.Render(conversation.NotesOptions{MaxTokens: 5}); got != "short" {
		t.Errorf("without a counter: %q", got)
	}
}

// Render returns the most notes that fit: the same as trying all numbers of notes.
func TestNotesRenderLongest(t *testing.T) {
	testkit.SkipInShort(t)
	counters := map[string]func(string) int{
		"estimate": tokens.Estimate, "exact": o200k.Count,
		"bytes": func(s string) int { return len(s) },
		"lines": func(s string) int { return strings.Count(s, "\n") + 1 },
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching(`([a-z]{1,9} |[0-9]{3}|文){0,30}`)
		notes := rapid.SliceOfN(words, 0, 30).Draw(t, "notes")
		if len(notes) > 0 && rapid.Bool().Draw(t, "giant") {
			notes[rapid.IntRange(0, len(notes)-1).Draw(t, "which")] = strings.Repeat("giant ", 3000)
		}
		name := rapid.SampledFrom([]string{"estimate", "exact", "bytes", "lines"}).Draw(t, "counter")
		o := conversation.NotesOptions{MaxTokens: rapid.IntRange(1, 400).Draw(t, "max"), Separator: rapid.SampledFrom([]string{"", " | "}).Draw(t, "separator")}
		o.CountTokens = counters[name]
		separator := o.Separator
		if separator == "" {
			separator = "\n"
		}
		want, kept := "", 0
		for i := range notes {
			text := strings.Join(notes[len(notes)-1-i:], separator)
			if counters[name](text) > o.MaxTokens {
				break
			}
			want, kept = text, i+1
		}
		if got := noted(notes...).Render(o); got != want {
			t.Fatalf("%d of %d notes fit into %d tokens (%s): %q, got %q", kept, len(notes), o.MaxTokens, name, want, got)
		}
	})
}

func TestNotesConcurrent(t *testing.T) {
	var n conversation.Notes
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				n.Note("x")
				n.Render(conversation.NotesOptions{MaxTokens: 20})
				n.Notes()
			}
		})
	}
	wg.Wait()
	if n.Len() != 800 {
		t.Errorf("%d notes of 800", n.Len())
	}
}

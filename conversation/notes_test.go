package conversation_test

import (
	"math"
	"strings"
	"sync"
	"testing"

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
		{three, conversation.NotesOptions{}, "one\nthree\nfive"},
		{three, conversation.NotesOptions{Separator: "; "}, "one; three; five"},
		{three, conversation.NotesOptions{MaxTokens: 10, CountTokens: letters, Separator: "; "}, "five"},
		{three, conversation.NotesOptions{MaxTokens: 3, CountTokens: letters}, ""}, // though "one" would fit
		{three, conversation.NotesOptions{MaxTokens: -1, CountTokens: letters}, ""},
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

// Render returns the most notes that fit, also with counters whose counts do not add up: the
// same as trying all numbers of notes.
func TestNotesRenderLongest(t *testing.T) {
	testkit.SkipInShort(t)
	var notes []string
	for i := range 30 {
		notes = append(notes, strings.Repeat([]string{"word ", "123", "文", "a"}[i%4], i*7%31))
	}
	notes[7] = strings.Repeat("giant ", 3000)
	for name, count := range map[string]func(string) int{
		"estimate": tokens.Estimate, "exact": o200k.Count,
		"bytes": func(s string) int { return len(s) },
		"lines": func(s string) int { return strings.Count(s, "\n") + 1 },
	} {
		for most := 1; most <= 400; most += 3 {
			want := ""
			for i := len(notes) - 1; i >= 0; i-- {
				text := strings.Join(notes[i:], "\n")
				if count(text) > most {
					break
				}
				want = text
			}
			if got := noted(notes...).Render(conversation.NotesOptions{MaxTokens: most, CountTokens: count}); got != want {
				t.Fatalf("%d tokens, %s: %q, want %q", most, name, got, want)
			}
		}
	}
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

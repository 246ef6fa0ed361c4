package conversation_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

func TestHistoryCopies(t *testing.T) {
	var h conversation.History
	pushed, replacements := rich("a"), rich("b")
	h.Push(pushed...)
	h.Replace(1, replacements[1])
	scribble(pushed)
	scribble(replacements)
	scribble(h.All())
	scribble(h.Slice(0, conversation.End))
	if diff := cmp.Diff([]conversation.Message{rich("a")[0], rich("b")[1], rich("a")[2]}, h.All()); diff != "" {
		t.Error("the history was changed from outside (-want +got):\n" + diff)
	}
}

// Slice takes what JavaScript's slice takes: negative counts from the end.
func TestHistorySlice(t *testing.T) {
	var h conversation.History
	for n := range 4 {
		for from := -6; from <= 6; from++ {
			for to := -6; to <= 6; to++ {
				var want []conversation.Message
				for i, m := range h.All() {
					if (i >= from && from >= 0 || i-n >= from && from < 0) && (i < to && to >= 0 || i-n < to && to < 0) {
						want = append(want, m)
					}
				}
				if got := h.Slice(from, to); texts(got) != texts(want) || h.Len() != n {
					t.Fatalf("Slice(%d, %d) of %d is %q, want %q", from, to, h.Len(), texts(got), texts(want))
				}
			}
		}
		h.Push(conversation.UserText("old"))
		if h.Replace(-1, conversation.UserText("x")) || h.Replace(n+1, conversation.UserText("x")) || !h.Replace(n, conversation.UserText(fmt.Sprint(n))) {
			t.Errorf("Replace beside %d messages, or not within", n+1)
		}
	}
	if h.Push(); texts(h.All()) != "0 1 2 3" || texts(h.Slice(1, conversation.End)) != "1 2 3" {
		t.Errorf("the history is %q", texts(h.All()))
	}
	if h.Clear(); h.Len() != 0 || len(h.All()) != 0 {
		t.Errorf("after Clear the history is %q", texts(h.All()))
	}
}

// Messages that are pushed together stay together, and none is lost.
func TestHistoryConcurrent(t *testing.T) {
	const writers, pushes, size = 8, 50, 100
	var h conversation.History
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range pushes {
				h.Push(slices.Repeat([]conversation.Message{conversation.UserText(fmt.Sprint(w, ".", i))}, size)...)
				h.Replace(-1, conversation.UserText("nowhere"))
				h.Slice(-2, conversation.End)
			}
		})
	}
	wg.Wait()
	all := h.All()
	if len(all) != writers*pushes*size {
		t.Fatalf("%d messages of %d", len(all), writers*pushes*size)
	}
	for i, m := range all {
		if first := all[i-i%size]; m.Content != first.Content {
			t.Fatalf("message %d is of another push than message %d: %q, %q", i, i-i%size, m.Content, first.Content)
		}
	}
}

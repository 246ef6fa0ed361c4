package conversation_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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

// A History does the same as a slice, with any sequence of methods.
func TestHistoryModel(t *testing.T) {
	testkit.SkipInShort(t)
	rapid.Check(t, func(t *rapid.T) {
		var h conversation.History
		var model []conversation.Message
		n := 0
		next := func() conversation.Message { n++; return conversation.UserText(fmt.Sprint(n)) }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				var msgs []conversation.Message
				for range rapid.IntRange(0, 5).Draw(t, "count") {
					msgs = append(msgs, next())
				}
				h.Push(msgs...)
				model = append(model, msgs...)
			},
			"replace": func(t *rapid.T) {
				i, m := rapid.IntRange(-3, len(model)+3).Draw(t, "i"), next()
				ok := i >= 0 && i < len(model)
				if h.Replace(i, m) != ok {
					t.Fatalf("Replace(%d) of %d is %v", i, len(model), !ok)
				}
				if ok {
					model[i] = m
				}
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					h.Clear()
					model = nil
				}
			},
			"": func(t *rapid.T) {
				from, to := rapid.IntRange(-8, 20).Draw(t, "from"), rapid.IntRange(-8, 20).Draw(t, "to")
				var want []conversation.Message
				for i, m := range model {
					if (i >= from && from >= 0 || i-len(model) >= from && from < 0) && (i < to && to >= 0 || i-len(model) < to && to < 0) {
						want = append(want, m)
					}
				}
				if got := h.Slice(from, to); !slices.EqualFunc(got, want, func(a, b conversation.Message) bool { return a.Content == b.Content }) {
					t.Fatalf("Slice(%d, %d) of %v is %v, want %v", from, to, model, got, want)
				}
				if h.Len() != len(model) {
					t.Fatalf("Len %d, want %d", h.Len(), len(model))
				}
			},
		})
	})
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

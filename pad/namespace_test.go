package pad_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestNamespaces(t *testing.T) {
	p := emptyPad(t)
	a := p.Namespace("a")
	b := a.Namespace("b")
	testkit.Must(t, a.Set("k", 1))
	testkit.Must(t, b.Set("k", 2))
	testkit.Must(t, p.Set("k", 3))
	testkit.Must(t, p.Set("ab", 4))
	testkit.Must(t, p.Set("a:", 5)) // not in the view, where its key would be empty
	wantKeys(t, p, "a:k a:b:k k ab a:")
	wantKeys(t, a, "k b:k")
	wantKeys(t, p.Namespace("a:b"), "k")
	wantKeys(t, b, "k")
	if got, _ := b.Peek("k"); got.Key != "k" || got.Value != 2 {
		t.Errorf("Peek() of a view = %+v", got)
	}
	if st := a.Stats(); st.Size != 2 || !slices.Equal(st.Namespaces, []string{"b"}) {
		t.Errorf("Stats() of a view = %+v", st)
	}
	s := a.Snapshot()
	testkit.Must(t, p.Namespace("z").Restore(s))
	wantKeys(t, p, "a:k a:b:k k ab a: z:k z:b:k")
	testkit.Must(t, a.Set("gone", 1))
	testkit.Must(t, a.Restore(s))
	wantKeys(t, p, "k ab a: z:k z:b:k a:k a:b:k")
	wantKeys(t, a.Fork(), "k b:k")
	if n := a.Clear(); n != 2 {
		t.Errorf("Clear() of a view = %d, want 2", n)
	}
	wantKeys(t, p, "k ab a: z:k z:b:k")

	for _, name := range []string{"", "\xff"} {
		for _, view := range []*pad.Pad{p.Namespace(name), p.Namespace(name).Namespace("a"), p.Namespace("z").Namespace(name)} {
			if err := view.Set("k", 1); !errors.Is(err, pad.ErrKey) {
				t.Errorf("Set() in the view %q = %v, want ErrKey", name, err)
			}
			if err := view.Restore(p.Snapshot()); !errors.Is(err, pad.ErrKey) {
				t.Errorf("Restore() of the view %q = %v, want ErrKey", name, err)
			}
			view.On(pad.EventSet, func(e pad.Event) { t.Errorf("the view %q was told of %+v", name, e) })()
			if view.Len()+len(view.Keys())+view.Clear()+view.Snapshot().Len()+view.Fork().Len()+view.Stats().RawSize+len(view.FindByTag("t")) > 0 || view.Delete("k") || view.Has("k") {
				t.Errorf("the view %q holds something", name)
			}
		}
	}
	wantKeys(t, p, "k ab a: z:k z:b:k")
}

// The key "a:" is not in the view "a", where its key would be empty.
func TestViewWithoutTheEmptyKey(t *testing.T) {
	p := emptyPad(t)
	var events []string
	p.Namespace("a").On(pad.EventSet, func(e pad.Event) { events = append(events, e.Key) })
	put(t, p, "a:", 1, "t")
	put(t, p, "a:b", 2, "t")
	v := p.Namespace("a")
	if got := v.Keys(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Keys() = %q, want b alone", got)
	}
	if got := v.FindByTag("t"); len(got) != 1 {
		t.Errorf("FindByTag() = %v, want b alone", got)
	}
	if !slices.Equal(events, []string{"a:b"}) {
		t.Errorf("events of the view = %q, want that of a:b", events)
	}
	text, err := json.Marshal(v.Snapshot())
	testkit.Must(t, err)
	var s pad.Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		t.Errorf("reading the view's snapshot back: %v", err)
	}
	if v.Clear(); !p.Has("a:") {
		t.Error("Clear of the view removed a key outside of it")
	}
}

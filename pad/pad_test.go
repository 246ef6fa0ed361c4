package pad_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestKey(t *testing.T) {
	p := emptyPad(t)
	for _, key := range []string{"", "\xff", "a\xc0", "\xed\xa0\x80"} {
		for what, err := range map[string]error{
			"Set":     p.Set(key, 1),
			"SetWith": p.Namespace("v").SetWith(key, 1, pad.SetOptions{}),
			"Update":  pad.Update(p, key, func(int, bool) (int, error) { return 1, nil }),
		} {
			if !errors.Is(err, pad.ErrKey) {
				t.Errorf("%s(%q) = %v, want ErrKey", what, key, err)
			}
		}
		if _, ok := p.Get(key); ok || p.Has(key) || p.Delete(key) {
			t.Errorf("there is something at %q", key)
		}
		if _, err := pad.Get[int](p, key); !errors.Is(err, pad.ErrNotFound) {
			t.Errorf("Get[int](%q) = %v, want ErrNotFound", key, err)
		}
	}
	for _, key := range []string{":", "::", " ", "\x00", "a:b", "a:", ":a", "\U0001f600", strings.Repeat("k", 1<<16)} {
		testkit.Must(t, p.Set(key, key))
		if got, ok := p.Get(key); !ok || got != key {
			t.Errorf("Get(%.20q) = %v, %v", key, got, ok)
		}
	}
}

func TestTagsAreCopied(t *testing.T) {
	p := emptyPad(t)
	tags := []string{"x"}
	put(t, p, "k", 2, tags...)
	tags[0] = "changed"
	e, _ := p.Peek("k")
	e.Tags[0] = "changed"
	e.Options().Tags[0] = "changed"
	if len(p.FindByTag("x")) != 1 || p.Entries()[0].Tags[0] != "x" {
		t.Error("a tag was changed from outside")
	}
}

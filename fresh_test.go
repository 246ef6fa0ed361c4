package scratchpad_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad"
)

func freshPad(t testing.TB) *scratchpad.Pad {
	t.Helper()
	return freshPadWith(t, scratchpad.Options{})
}

func freshPadWith(t testing.TB, o scratchpad.Options) *scratchpad.Pad {
	t.Helper()
	p, err := scratchpad.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t testing.TB, p *scratchpad.Pad, key string, value any, tags ...string) {
	t.Helper()
	if err := p.SetWith(key, value, scratchpad.SetOptions{Tags: tags}); err != nil {
		t.Fatal(err)
	}
}

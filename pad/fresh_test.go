package pad_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/pad"
)

func freshPad(t testing.TB) *pad.Pad {
	t.Helper()
	return freshPadWith(t, pad.Options{})
}

func freshPadWith(t testing.TB, o pad.Options) *pad.Pad {
	t.Helper()
	p, err := pad.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t testing.TB, p *pad.Pad, key string, value any, tags ...string) {
	t.Helper()
	if err := p.SetWith(key, value, pad.SetOptions{Tags: tags}); err != nil {
		t.Fatal(err)
	}
}

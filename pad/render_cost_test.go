package pad_test

import (
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// Values as JSON are full of quotes. XML escapes none of them in text, where each
// would cost two tokens or three.
func TestRenderXMLCost(t *testing.T) {
	type task struct {
		ID    int      `json:"id"`
		Title string   `json:"title"`
		State string   `json:"state"`
		Tags  []string `json:"tags"`
	}
	p := freshPad(t)
	for i := range 20 {
		put(t, p, fmt.Sprint("task", i), task{i, fmt.Sprint("Move table ", i), "open", []string{"db", "move"}})
	}
	text := p.Render(pad.RenderOptions{Format: pad.XML})
	got := o200k.Count(text)
	t.Logf("20 small structs: %d tokens", got)
	if got > 700 {
		t.Errorf("20 small structs cost %d tokens as XML, want 700 at most:\n%s", got, text)
	}
}

package sourceline_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/sourceline"
)

// A line is data. A long one is cut between characters, and says how much is left out.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		text, want string
		there      int
	}{
		{"", "", 0},
		{"<b>&", "&lt;b&gt;&amp;", 4},
		{"aéé", `aé<i class="muted"> and 2 bytes more, see Raw</i>`, 3},
	} {
		var b strings.Builder
		got := sourceline.Write(&b, 7, c.text, 4)
		if want := `<span id="L7"><a href="#L7">7</a>` + c.want + "</span>"; got != c.there || b.String() != want {
			t.Errorf("%q: %d, %s, want %d, %s", c.text, got, &b, c.there, want)
		}
	}
}

package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

// What is at the top is shown before what is within it, whatever the gaps cost.
func TestOutlineShowsClassesBeforeMethods(t *testing.T) {
	for classes := 20; classes <= 48; classes += 4 {
		var b strings.Builder
		for i := range classes {
			fmt.Fprintf(&b, "class ArgumentHelper%d(Action):\n\n", i)
			for j := range 1 + i%3*4 {
				fmt.Fprintf(&b, "    def method_%d(self):\n        pass\n\n", j)
			}
		}
		checkOutline(t, "a.py", b.String(), 600)
		text := outline.Text("a.py", b.String(), 0)
		if n := strings.Count(text, "class ArgumentHelper"); n < classes && strings.Contains(text, "def method") {
			t.Errorf("%d of %d classes, and methods, in\n%s", n, classes, text)
		}
	}
}

package outline_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
)

// What is shown and what is said not to be come to what there is.
func TestCountsWhatIsNotShown(t *testing.T) {
	for _, file := range realFiles(t) {
		if !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".js") && !strings.HasSuffix(file, ".s") && !strings.HasSuffix(file, ".html") {
			continue
		}
		content := testkit.ReadFile(t, file)
		all, _ := shownAndHidden(outline.Text(file, content, plenty))
		for _, most := range []int{100, 200, 400, 600, 1000} {
			shown, hidden := shownAndHidden(outline.Text(file, content, most))
			if shown+hidden != all {
				t.Errorf("%s in %d tokens: %d shown and %d more, want %d", file, most, shown, hidden, all)
			}
			if most >= 600 && all > 0 && shown < min(all, 15) {
				t.Errorf("%s in %d tokens: only %d of %d shown", file, most, shown, all)
			}
		}
	}
}

func shownAndHidden(text string) (shown, hidden int) {
	for l := range strings.SplitSeq(text, "\n") {
		if m := gap.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1])
			hidden += n
		} else if numbered.MatchString(l) {
			shown++
		}
	}
	return shown, hidden
}

// The exported declarations of a file outlast the others.
func TestShowsUpperRanksFirst(t *testing.T) {
	var b strings.Builder
	b.WriteString("package big\n")
	for i := range 200 {
		fmt.Fprintf(&b, "\nfunc helper%d(a, b int) error { return nil }\n", i)
		if i%20 == 10 {
			fmt.Fprintf(&b, "\nfunc Public%d(a, b int) error { return nil }\n", i)
		}
	}
	text := outline.Text("big.go", b.String(), 0)
	if n := strings.Count(text, "func Public"); n != 10 {
		t.Errorf("%d of 10 exported functions are in\n%s", n, text)
	}
	if !strings.Contains(text, "func helper0") || !strings.Contains(text, "helper199") {
		t.Errorf("neither end of the rest is in\n%s", text)
	}
}

// What is at the top is shown before what is within it, whatever the gaps cost.
func TestShowsClassesBeforeMethods(t *testing.T) {
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

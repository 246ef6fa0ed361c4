package textfield_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/textfield"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// What a browser sends for a text that nobody has touched makes the same bytes.
func TestSameBytes(t *testing.T) {
	for _, content := range []string{"", "\n", "a", "a\nb\n", "a\r\nb\r\n", "a\r\nb", "\r\n", "\n\n\n", "\xff\t\u2028"} {
		text, ending, problem := textfield.Text([]byte(content))
		sent := strings.ReplaceAll(text, "\n", "\r\n")
		if got := textfield.Content(textfield.Value(sent), ending); problem != "" || string(got) != content {
			t.Errorf("%q: %q, %q", content, got, problem)
		}
	}
}

// A text that no browser sends back as it was is refused.
func TestProblems(t *testing.T) {
	limit := int(workspace.DefaultLimits().FileBytes)
	for content, want := range map[string]string{
		"a\x00b": "NUL", "a\rb\n": "carriage returns", "a\r\n\rb": "carriage returns", "a\r\nb\n": "some with CRLF",
		strings.Repeat("a", limit+1): "takes at most",
	} {
		if _, _, problem := textfield.Text([]byte(content)); !strings.Contains(problem, want) {
			t.Errorf("%.20q: %q, want %q", content, problem, want)
		}
	}
	if _, _, problem := textfield.Text([]byte(strings.Repeat("a", limit))); problem != "" {
		t.Errorf("the largest text: %s", problem)
	}
}

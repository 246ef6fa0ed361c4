package backtrace_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
)

//go:noinline
func fail(secret string, number int) { panic(secret + strings.Repeat("x", number)) }

// The text names the function that panicked, and none of its arguments.
func TestText(t *testing.T) {
	t.Parallel()
	defer func() {
		recover()
		text := backtrace.Text()
		if !regexp.MustCompile(`(?m)^\S+backtrace_test\.fail \S+backtrace_test\.go:\d+$`).MatchString(text) {
			t.Errorf("the function that panicked is missing:\n%s", text)
		}
		if m := regexp.MustCompile(`0x[0-9a-f]+|CANARY`).FindString(text); m != "" {
			t.Errorf("the text has the argument %s:\n%s", m, text)
		}
	}()
	fail("CANARY", 0x77777)
}

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/demo"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The demo is the first command in the README. It plays to the end, shows what it
// promises, and leaves nothing behind.
func TestDemo(t *testing.T) {
	temp := t.TempDir()
	play := func(args ...string) string {
		env := environ("TMPDIR="+temp, "TMP="+temp, "SCRATCHPAD_MAX_FILE_BYTES=10") // the user's settings do not change it
		o := runProgram(t, os.Args[0], ".", env, append([]string{"demo"}, args...)...)
		if o.code != 0 || o.err != "" {
			t.Fatalf("scratchpad demo: %+v", o)
		}
		return o.out
	}
	text := play()
	for _, want := range []string{
		`"unchanged":true`, `"op":"remove"`, "nearest", "reading everything again", "In all", "has exact numbers.)\n",
		"edit\tfile\tplan.md\t2\t3\tcolleague\t", "append\tlog\tchecks\t61\t62\tcolleague\t", // what came back from changes
		"< +- [x] T-043 ", `< [62,0,"web-07 has a new disk"]`, "< checks#61\tchecked host web-07: 9 of 6220 requests failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the demonstration does not show %q:\n%s", want, text)
		}
	}
	var got struct {
		Steps []demo.Step
		Read  int `json:"tokens"`
		Whole int `json:"tokens_of_reading_all"`
	}
	testkit.Must(t, json.Unmarshal([]byte(play("--json")), &got))
	if len(got.Steps) < 10 || got.Read == 0 || got.Whole < 10*got.Read {
		t.Errorf("%d steps, %d tokens instead of %d; want ten at least and a tenth of the tokens", len(got.Steps), got.Read, got.Whole)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

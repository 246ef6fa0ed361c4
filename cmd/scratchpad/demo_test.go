package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The demonstration is the README's first command: it plays to the end, shows
// what it promises, and leaves nothing behind.
func TestDemo(t *testing.T) {
	temp := t.TempDir()
	demo := func(args ...string) []byte {
		cmd := exec.Command(os.Args[0], append([]string{"demo"}, args...)...)
		cmd.Env = append(os.Environ(), runVariable+"=1", "TMPDIR="+temp, "TMP="+temp)
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		if err := cmd.Run(); err != nil || errOut.Len() > 0 {
			t.Fatalf("scratchpad demo: %v, %s", err, errOut.Bytes())
		}
		return out.Bytes()
	}
	text := string(demo())
	for _, want := range []string{`"unchanged":true`, `"op":"remove"`, `"has_more":true`, "nearest", "reading all again", "In all"} {
		if !strings.Contains(text, want) {
			t.Errorf("the demonstration does not show %q:\n%s", want, text)
		}
	}
	var got struct {
		Steps []step
		Read  int `json:"tokens"`
		Whole int `json:"tokens_of_reading_all"`
	}
	if err := json.Unmarshal(demo("--json"), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Steps) < 10 || got.Read == 0 || got.Whole < 10*got.Read {
		t.Errorf("%d steps, %d tokens instead of %d; want ten at least and a tenth of the tokens", len(got.Steps), got.Read, got.Whole)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

package o200k_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

func TestCount(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello world", 2},
		{"1234567", 3},
		{"日本語", 2},
		{"héllo", 2},
		{"if err != nil {\n\treturn err\n}\n", 9},
		{"<|endoftext|>", 7}, // plain text, not the special token
		{"<|endofprompt|>", 7},
		{"a\xffb", 3}, // as U+FFFD
		{strings.Repeat(" ", 64), 1},
	}
	for _, tt := range tests {
		if got := o200k.Count(tt.text); got != tt.want {
			t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func ExampleCount() {
	fmt.Println(o200k.Count("The quick brown fox jumps over the lazy dog."))
	// Output: 10
}

package markdown_test

import (
	"bytes"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/markdown"
)

// BenchmarkReader reads 10 MB of notes.
func BenchmarkReader(b *testing.B) {
	var text bytes.Buffer
	for n := 0; text.Len() < 10<<20; n++ {
		text.WriteString([]string{"", "", "- ", "  ", "> ", "", "## ", "1. ", "", "```\n"}[n%10])
		text.WriteString("the budget of the harbour is decided on Thursday, and who pays\n")
		if n%7 == 6 {
			text.WriteByte('\n')
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		var r markdown.Reader
		for rest := text.Bytes(); len(rest) > 0; {
			rest = rest[r.Next(rest).Size:]
		}
	}
}

package fit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// TestPiecesAddUp counts texts in pieces: their tokens are those of the whole text.
func TestPiecesAddUp(t *testing.T) {
	ends := []string{"\n", "\n\n", "\r\n", "\n \n", "!\n/", "\n\t", " ", "  ", ". ", "\n    "}
	words := []string{"note", "Über", "=", "42", "пример", "()", "a/b", "中文", "{", "it's"}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for text.Len() < 20_000 {
			for range 1 + r.IntN(12) {
				fmt.Fprint(&text, words[r.IntN(len(words))], " "[:r.IntN(2)])
			}
			text.WriteString(ends[r.IntN(len(ends))])
		}
		got, want := fit.Counter(o200k.Count).Tokens([]byte(text.String())), o200k.Count(text.String())
		if got != want {
			t.Errorf("seed %d: the pieces have %d tokens, the text %d", seed, got, want)
		}
	}
}

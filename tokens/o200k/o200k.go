package o200k

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

var encoding = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of o200k_base tokens of a text. A special token, such as
// "<|endoftext|>", is counted as plain text. A byte that is not valid UTF-8 is counted
// as U+FFFD. Count is safe for concurrent use.
func Count(text string) int {
	n, err := encoding().Count(text)
	if err != nil {
		// Errors are for a match timeout and a strict mode, and neither is set.
		panic("o200k: " + err.Error())
	}
	return n
}

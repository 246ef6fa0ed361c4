package o200k

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

var encoding = sync.OnceValue(codec.NewO200kBase)

// Count returns how many o200k_base tokens text has. Text that looks like a
// special token, such as "<|endoftext|>", is counted as the plain text it is,
// and each byte that is not valid UTF-8 as U+FFFD. Safe for concurrent use.
func Count(text string) int {
	n, err := encoding().Count(text)
	if err != nil {
		// Errors are for a match timeout and a strict mode, and neither is set.
		panic("o200k: " + err.Error())
	}
	return n
}

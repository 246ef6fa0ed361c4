package testkit

import (
	"strings"
	"sync"
)

// A Buffer keeps what is written to it, such as a log. The zero value is empty. A Buffer is
// safe for concurrent use.
type Buffer struct {
	mu sync.Mutex // guards b
	b  strings.Builder
}

// Write implements [io.Writer].
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns what has been written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

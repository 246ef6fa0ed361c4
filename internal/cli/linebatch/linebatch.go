// Package linebatch reads lines as they arrive, many at a time.
package linebatch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Reader reads the lines of an input in batches. A batch is what has arrived while
// the one before was stored, so that a slow input is stored as it arrives, and a fast
// one with few commits.
type Reader struct {
	batches chan [][]byte
	err     error // why batches was closed; nil: the input has ended
}

// The most of one batch. No more than that and one line waits in memory.
const (
	batchLines = 1000
	batchBytes = 1 << 20
)

// Read reads lines of at most limit bytes. Its goroutines end with the input, if the
// batches are received until then; otherwise with the process.
func Read(in io.Reader, limit int64) *Reader {
	l := &Reader{batches: make(chan [][]byte)}
	lines := make(chan []byte)
	var failed error // before lines is closed
	go func() {
		defer close(lines)
		failed = scanLines(in, limit, func(line []byte) { lines <- line })
	}()
	go func() {
		defer close(l.batches)
		gather(lines, l.batches)
		l.err = failed
	}()
	return l
}

// Batches returns the channel of batches. It is closed at the end of the input, and
// before a line that cannot be an entry.
func (l *Reader) Batches() <-chan [][]byte { return l.batches }

// Err returns why the batches ended, once they have; nil at the end of the input. A line
// over the limit is [workspace.ErrTooLarge], and one that is no text is
// [workspace.ErrInvalid].
func (l *Reader) Err() error { return l.err }

// gather offers a batch while it adds more lines to it.
func gather(lines <-chan []byte, batches chan<- [][]byte) {
	var batch [][]byte
	var size int
	for lines != nil || len(batch) > 0 {
		from, to := lines, batches
		if len(batch) == 0 {
			to = nil
		}
		if len(batch) >= batchLines || size >= batchBytes {
			from = nil
		}
		select {
		case line, ok := <-from:
			if !ok {
				lines = nil
				continue
			}
			batch, size = append(batch, line), size+len(line)
		case to <- batch:
			batch, size = nil, 0
		}
	}
}

// scanLines calls give with each line, without its end. It stops at a line that cannot
// be an entry.
func scanLines(in io.Reader, limit int64, give func([]byte)) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, int(min(limit, 1<<30))+len("\r\n")+1)
	n := 0
	for s.Scan() {
		n++
		switch line := s.Bytes(); {
		case int64(len(line)) > limit:
			return tooLong(n, limit)
		case !utf8.Valid(line):
			return workspace.Errorf(workspace.ErrInvalid, "line %d is not valid UTF-8; only text can be stored", n)
		default:
			give(bytes.Clone(line))
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return tooLong(n+1, limit)
	}
	return s.Err()
}

func tooLong(line int, limit int64) error {
	return workspace.Errorf(workspace.ErrTooLarge,
		"line %d has more than %d bytes, the limit of an entry (--max-entry-bytes)", line, limit)
}

package linediff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrMismatch is the error of chunks that are not a difference of the given text.
var ErrMismatch = errors.New("chunks do not fit the text")

// Apply returns the new text, to the byte, from the old text and the chunks of the
// difference. It returns [ErrMismatch] if the equal and removed chunks together are
// not exactly the lines of old, or if [Diff.Chunks] could not have made a chunk. It
// keeps neither argument.
func Apply(old []byte, chunks []Chunk) ([]byte, error) {
	p := patch{old: old, new: make([]byte, 0, len(old))}
	for i, c := range chunks {
		if err := p.apply(c); err != nil {
			return nil, fmt.Errorf("apply chunk %d, %s: %v: %w", i, c.Op, err, ErrMismatch)
		}
	}
	if p.at < len(old) {
		return nil, fmt.Errorf("apply %d chunks: they end before the text does: %w", len(chunks), ErrMismatch)
	}
	return p.new, nil
}

// A patch is a new text that is being put together.
type patch struct {
	old, new []byte
	at       int // bytes of old that are used
}

func (p *patch) apply(c Chunk) error {
	if err := check(c); err != nil {
		return err
	}
	text, rest := []byte(strings.Join(c.Lines, "\n")), p.old[p.at:]
	if !c.NoNewline {
		text = append(text, '\n')
	}
	if c.Count > 0 {
		text = rest[:skipLines(rest, 0, c.Count)]
		if Lines(text) != c.Count {
			return errors.New("more lines than the text has left")
		}
	}
	switch {
	case unterminated(text) != c.NoNewline:
		return errors.New("not the same line end")
	case c.Op != Add && (!bytes.HasPrefix(rest, text) || unterminated(text) && len(text) < len(rest)):
		return errors.New("not the text's lines")
	case c.Op != Add:
		p.at += len(text)
	}
	if c.Op == Remove {
		return nil
	}
	if unterminated(p.new) {
		return errors.New("lines after one without a line feed")
	}
	p.new = append(p.new, text...)
	return nil
}

func check(c Chunk) error {
	switch {
	case c.Op > Add:
		return errors.New("unknown operation")
	case c.Count != 0 && (c.Op != Equal || len(c.Lines) > 0):
		return errors.New("a count is for equal lines that are not given")
	case c.Count <= 0 && len(c.Lines) == 0:
		return errors.New("no lines")
	}
	for _, line := range c.Lines {
		if strings.Contains(line, "\n") {
			return errors.New("a line feed in a line")
		}
	}
	return nil
}

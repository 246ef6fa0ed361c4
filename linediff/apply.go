package linediff

import (
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
	if c.Op == Add {
		return p.add(c)
	}
	from := p.at
	if c.Count > 0 {
		p.at = skipLines(p.old, from, c.Count)
		if Lines(p.old[from:p.at]) != c.Count {
			return errors.New("more lines than the text has left")
		}
	} else if err := p.expect(c.Lines); err != nil {
		return err
	}
	text := p.old[from:p.at]
	if unterminated(text) != c.NoNewline {
		return errors.New("not the same line end")
	}
	if c.Op == Remove {
		return nil
	}
	if err := p.open(); err != nil {
		return err
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
	case c.NoNewline && c.Op == Add && c.Lines[len(c.Lines)-1] == "":
		return errors.New("an empty line without a line feed")
	}
	for _, line := range c.Lines {
		if strings.Contains(line, "\n") {
			return errors.New("a line feed in a line")
		}
	}
	return nil
}

// expect skips lines of old. They must be the given ones.
func (p *patch) expect(lines []string) error {
	for _, line := range lines {
		from := p.at
		p.at = skipLines(p.old, from, 1)
		if from == p.at {
			return errors.New("more lines than the text has left")
		}
		text := p.old[from:p.at]
		if !unterminated(text) {
			text = text[:len(text)-1]
		}
		if string(text) != line {
			return errors.New("not the text's line")
		}
	}
	return nil
}

func (p *patch) add(c Chunk) error {
	if err := p.open(); err != nil {
		return err
	}
	for _, line := range c.Lines {
		p.new = append(p.new, line...)
		p.new = append(p.new, '\n')
	}
	if c.NoNewline {
		p.new = p.new[:len(p.new)-1]
	}
	return nil
}

// open reports whether a line can follow.
func (p *patch) open() error {
	if unterminated(p.new) {
		return errors.New("lines after one without a line feed")
	}
	return nil
}

package linediff

import "strings"

// A Chunk is a row of lines with the same operation, as its lines or, of equal ones, as
// their number. The zero value is no lines.
type Chunk struct {
	Op Op
	// Count is the number of equal lines that Lines leaves out. It is 0 where Lines are given.
	Count int
	// Lines has the lines without their line feeds.
	Lines []string
	// NoNewline says that the chunk's last line is the last of its text and does not end in a line feed.
	NoNewline bool
}

// Chunks gives the difference as chunks in order. Of equal lines it gives the number, but for the context:
// as many lines before and after each change as context says, in chunks of their own.
// Where the context leaves nothing to count, the equal lines are one chunk. A negative context
// gives every line.
//
// It returns nil for two empty texts. Removed and added lines take the bytes that [Diff.Size] tells, and 16
// more each, and a chunk takes 56. The chunks share memory with each other, but not with the texts.
func (d *Diff) Chunks(context int) []Chunk {
	var chunks, lines, size int
	d.pieces(context, func(p piece) {
		chunks++
		if !p.counted {
			lines += p.lines
			size += len(p.text)
		}
	})
	if chunks == 0 {
		return nil
	}
	b := chunkBuilder{
		chunks: make([]Chunk, 0, chunks),
		lines:  make([]string, 0, lines),
	}
	b.text.Grow(size)
	d.pieces(context, b.add)
	return b.chunks
}

// A piece is a chunk yet to be made of text, which is whole lines.
type piece struct {
	op      Op
	lines   int
	counted bool
	text    []byte
}

func (d *Diff) pieces(context int, yield func(piece)) {
	old, new := 0, 0
	take := func(text []byte, at *int, lines int) []byte {
		from := *at
		*at = skipLines(text, from, lines)
		return text[from:*at]
	}
	for i, r := range d.runs {
		switch r.Op {
		case Remove:
			yield(piece{op: Remove, lines: r.Lines, text: take(d.old, &old, r.Lines)})
		case Add:
			yield(piece{op: Add, lines: r.Lines, text: take(d.new, &new, r.Lines)})
		case Equal:
			before, counted, after := split(r.Lines, context, i == 0, i == len(d.runs)-1)
			for part, lines := range [3]int{before, counted, after} {
				if lines > 0 {
					text := take(d.old, &old, lines)
					new += len(text)
					yield(piece{op: Equal, lines: lines, counted: part == 1, text: text})
				}
			}
		}
	}
}

// split divides equal lines into those given after the change before them, those counted, and those
// given before the change after them. The first run has no change before it, and the last none after it.
func split(lines, context int, first, last bool) (before, counted, after int) {
	if context < 0 {
		return lines, 0, 0
	}
	if !first {
		before = min(context, lines)
	}
	if !last {
		after = min(context, lines)
	}
	if before+after >= lines && before+after > 0 {
		return lines, 0, 0
	}
	return before, lines - before - after, after
}

type chunkBuilder struct {
	chunks []Chunk
	lines  []string
	text   strings.Builder
}

func (b *chunkBuilder) add(p piece) {
	c := Chunk{Op: p.op, NoNewline: unterminated(p.text)}
	if p.counted {
		c.Count = p.lines
	} else {
		c.Lines = b.cut(p)
	}
	b.chunks = append(b.chunks, c)
}

// cut gives the lines of a piece, out of the one string that holds all of them.
func (b *chunkBuilder) cut(p piece) []string {
	from := b.text.Len()
	b.text.Write(p.text)
	rest := b.text.String()[from:]
	first := len(b.lines)
	for range p.lines {
		line, after, _ := strings.Cut(rest, "\n")
		b.lines = append(b.lines, line)
		rest = after
	}
	return b.lines[first:len(b.lines):len(b.lines)]
}

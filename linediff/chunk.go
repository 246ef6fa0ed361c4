package linediff

import "strings"

// A Chunk is a run of lines with the same operation. Of equal lines it may have only
// their number. The zero value has no lines.
type Chunk struct {
	Op Op
	// Count is the number of equal lines. It is 0 if Lines has them.
	Count int
	// Lines are the lines, without their line feeds.
	Lines []string
	// NoNewline reports that the last line is the end of its text and has no line feed.
	NoNewline bool
}

// Chunks returns the difference as chunks, in order. Equal lines are counted. The
// given number of context lines before and after each change is an exception: these
// lines are chunks of their own, with their text. If no line is left to count, the
// equal lines are one chunk. A negative context gives the text of every line.
//
// The result is nil for two empty texts. Removed and added lines take as many bytes
// as [Diff.Size] says and 16 bytes more for each line. A chunk takes 56 bytes. The
// chunks share memory with each other, but not with the texts.
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

// A piece is what a chunk will be made of. Its text is whole lines.
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

// split divides equal lines into three: context after the change before them, lines
// to count, and context before the change after them. The first run has no change
// before it. The last run has no change after it.
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

// cut returns the lines of a piece. They share one string.
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

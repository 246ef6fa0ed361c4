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
// chunks do not share memory with the texts.
func (d *Diff) Chunks(context int) []Chunk {
	var chunks []Chunk
	old, new := 0, 0
	add := func(op Op, lines int, counted bool) {
		if lines == 0 {
			return
		}
		from, at := d.old, &old
		if op == Add {
			from, at = d.new, &new
		}
		text := from[*at:skipLines(from, *at, lines)]
		*at += len(text)
		if op == Equal {
			new += len(text)
		}
		c := Chunk{Op: op, NoNewline: unterminated(text)}
		if counted {
			c.Count = lines
		} else {
			c.Lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		}
		chunks = append(chunks, c)
	}
	for i, r := range d.runs {
		before, counted, after := r.Lines, 0, 0
		if r.Op == Equal {
			before, counted, after = split(r.Lines, context, i == 0, i == len(d.runs)-1)
		}
		add(r.Op, before, false)
		add(r.Op, counted, true)
		add(r.Op, after, false)
	}
	return chunks
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

package memorycommand

import (
	"bytes"
	"fmt"
	"iter"
	"unicode/utf8"
)

const (
	maxChars = 16_000 // that an answer has at most
	hintRoom = 300    // what is kept free of them for a hint how to go on
	maxLines = 999_999
)

// countLines returns the number of lines of a text. After a final newline there is one
// more line, which is empty.
func countLines(content []byte) int { return bytes.Count(content, []byte("\n")) + 1 }

// lineStart returns where line n from 1 begins. A text has that line.
func lineStart(content []byte, n int) int {
	at := 0
	for range n - 1 {
		at += bytes.IndexByte(content[at:], '\n') + 1
	}
	return at
}

// numbered yields the lines from first to last of a text, with their numbers.
func numbered(content []byte, first, last int) iter.Seq[string] {
	return func(yield func(string) bool) {
		rest := content[lineStart(content, first):]
		for n := first; n <= last; n++ {
			line := rest
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				line, rest = rest[:end], rest[end+1:]
			}
			if !yield(fmt.Sprintf("%6d\t%s", n, clip(line))) {
				return
			}
		}
	}
}

// clip cuts a line that is longer than an answer, a little above that length.
func clip(line []byte) []byte {
	const most = (maxChars + 1) * utf8.UTFMax
	return line[:min(len(line), most)]
}

// fit returns a header and lines, each after a newline. If that is longer than an answer,
// it ends earlier, with what hint says. hint gets the number of whole lines that are there;
// 0 means that a part of the first line is.
func fit(header string, lines iter.Seq[string], hint func(shown int) string) string {
	out := []byte(header)
	chars, shown := utf8.RuneCountInString(header), 0
	end, endShown := 0, 0 // of what leaves room for a hint
	for line := range lines {
		out = append(append(out, '\n'), line...)
		chars += 1 + utf8.RuneCountInString(line)
		if chars > maxChars {
			if end == 0 {
				end = firstChars(out, maxChars-hintRoom)
			}
			return string(out[:end]) + "\n\n" + hint(endShown)
		}
		shown++
		if chars <= maxChars-hintRoom {
			end, endShown = len(out), shown
		}
	}
	return string(out)
}

// firstChars returns how many bytes the first n characters of a text have.
func firstChars(text []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

package linediff

import "bytes"

var newline = []byte{'\n'}

// Lines returns the number of lines of a text. "a\nb" has two, "a\n" has one, and
// the empty text has none.
func Lines(text []byte) int {
	n := bytes.Count(text, newline)
	if unterminated(text) {
		n++
	}
	return n
}

func unterminated(text []byte) bool {
	return len(text) > 0 && text[len(text)-1] != '\n'
}

// lineStarts returns the offset of each line and, at the end, the length of text.
func lineStarts(text []byte) []uint32 {
	starts := make([]uint32, 0, Lines(text)+1)
	for at := 0; at < len(text); {
		starts = append(starts, uint32(at))
		at = skipLines(text, at, 1)
	}
	return append(starts, uint32(len(text)))
}

// skipLines returns the offset that is n lines after at, or the end of text. at is the
// start of a line.
func skipLines(text []byte, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// commonEnds returns the number of bytes of the whole lines that both texts begin
// with, and of those that both end with. The two do not overlap.
func commonEnds(old, new []byte) (prefix, suffix int) {
	prefix = commonPrefix(old, new)
	if prefix == len(old) && prefix == len(new) {
		return prefix, 0
	}
	prefix = bytes.LastIndexByte(old[:prefix], '\n') + 1
	old, new = old[prefix:], new[prefix:]

	suffix = commonSuffix(old, new)
	if !startsLine(old, len(old)-suffix) || !startsLine(new, len(new)-suffix) {
		tail := old[len(old)-suffix:]
		suffix -= skipLines(tail, 0, 1)
	}
	return prefix, suffix
}

func startsLine(text []byte, at int) bool {
	return at == 0 || text[at-1] == '\n'
}

// stride is how many bytes are compared at once, while they are the same.
const stride = 64

func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for i+stride <= n && bytes.Equal(a[i:i+stride], b[i:i+stride]) {
		i += stride
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for i >= stride && bytes.Equal(a[i-stride:i], b[i-stride:i]) {
		i -= stride
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}

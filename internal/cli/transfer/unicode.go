package transfer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const byteOrderMark = "\uFEFF"

// afterMark returns a reader of what follows the byte order mark of a text in JSON, if it
// begins with one. Editors on Windows write it. The error says that a text is UTF-16.
func afterMark(in io.Reader) (io.Reader, error) {
	r := bufio.NewReader(in)
	begin, _ := r.Peek(len(byteOrderMark))
	if string(begin) == byteOrderMark {
		r.Discard(len(begin))
	}
	if isUTF16(begin) {
		return nil, errUTF16
	}
	return r, nil
}

var errUTF16 = errKind{"it is UTF-16; save it as UTF-8"}

// isUTF16 reports whether a text begins with a byte order mark of UTF-16, or with a brace
// in it.
func isUTF16(text []byte) bool {
	return slices.ContainsFunc([]string{"\xff\xfe", "\xfe\xff", "{\x00", "\x00{"}, func(begin string) bool {
		return bytes.HasPrefix(text, []byte(begin))
	})
}

// notText says why a content cannot be stored that is no UTF-8.
func notText(content []byte) error {
	if isUTF16(content) {
		return errUTF16
	}
	return errKind{"it is not UTF-8, and only text can be stored"}
}

// samePath says why a name is left out whose path another name had before. Names that
// look the same differ in code points.
func samePath(name, other string) string {
	shown := strings.ToValidUTF8(other, "\uFFFD")
	mine, its := differing(name, other)
	if mine == its { // not only in the form of letters
		return shown + " stands for the same path; rename this one"
	}
	return fmt.Sprintf("%s stands for the same path: this name has %s where that one has %s; rename this one",
		shown, mine, its)
}

// differing returns the code points of the first letter that two names write in different
// forms, such as U+00E9 and U+0065 U+0301. Of names that differ in more it returns none.
func differing(a, b string) (inA, inB string) {
	if norm.NFC.String(a) != norm.NFC.String(b) {
		return "", ""
	}
	for a != "" && b != "" && inA == inB {
		i, j := norm.NFC.NextBoundaryInString(a, true), norm.NFC.NextBoundaryInString(b, true)
		inA, inB, a, b = a[:i], b[:j], a[i:], b[j:]
	}
	points := func(letter string) string { return strings.Trim(fmt.Sprintf("%U", []rune(letter)), "[]") }
	return points(inA), points(inB)
}

// Package textfield carries the text of a file through a text field of a browser, so that
// the same bytes come back.
package textfield

import (
	"bytes"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/format"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An Ending is how the lines of a text end, as a form names it.
type Ending string

// How lines end.
const (
	LF   Ending = "LF"
	CRLF Ending = "CRLF"
)

// maxBytes is how many bytes of a file a text field may have.
func maxBytes() int64 { return workspace.DefaultLimits().FileBytes }

// Text returns a text as a text field of a browser holds it, and the line ending that
// goes back into the file. A browser has one kind of line ending and no NUL. All other
// characters survive it. problem says why the field cannot hold the text; "": it can.
func Text(content []byte) (text string, ending Ending, problem string) {
	lf, cr, crlf := bytes.Count(content, []byte("\n")), bytes.Count(content, []byte("\r")), bytes.Count(content, []byte("\r\n"))
	switch {
	case int64(len(content)) > maxBytes():
		return "", "", "It has " + format.Bytes(int64(len(content))) + ", and the text field takes at most " + format.Bytes(maxBytes()) + "."
	case bytes.IndexByte(content, 0) >= 0:
		return "", "", "It has the character NUL, and browsers put another one in its place."
	case cr > crlf:
		return "", "", "It has carriage returns without a line feed, and browsers make line feeds of them."
	case crlf > 0 && lf > crlf:
		return "", "", "Some of its lines end with LF and some with CRLF, and browsers make all of them equal."
	case crlf > 0:
		return strings.ReplaceAll(string(content), "\r\n", "\n"), CRLF, ""
	}
	return string(content), LF, ""
}

// Value returns the text that a browser has sent for a text field. Browsers send CRLF
// for every line ending.
func Value(sent string) string {
	if strings.IndexByte(sent, '\r') < 0 {
		return sent
	}
	return strings.ReplaceAll(strings.ReplaceAll(sent, "\r\n", "\n"), "\r", "\n")
}

// Content returns the bytes of a file for the text of a field.
func Content(text string, e Ending) []byte {
	if e == CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

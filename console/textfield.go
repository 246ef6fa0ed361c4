package console

import (
	"bytes"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// fieldText returns a text as a text field of a browser holds it, and the line ending that
// goes back into the file. A browser has one kind of line ending and no NUL. All other
// characters survive it. problem says why the field cannot hold the text; "": it can.
func fieldText(content []byte) (text string, ending diff.LineEnd, problem string) {
	limit, ends := workspace.DefaultLimits().FileBytes, endsOf(content)
	switch {
	case int64(len(content)) > limit:
		return "", "", "It has " + formatBytes(int64(len(content))) + ", and the text field takes at most " +
			formatBytes(limit) + "."
	case bytes.IndexByte(content, 0) >= 0:
		return "", "", "It has the character NUL, and browsers put another one in its place."
	case bytes.Count(content, []byte("\r")) > bytes.Count(content, []byte("\r\n")):
		return "", "", "It has carriage returns without a line feed, and browsers make line feeds of them."
	case ends == bothEnds:
		return "", "", "Some of its lines end with LF and some with CRLF, and browsers make all of them equal."
	case ends == diff.CRLF:
		return strings.ReplaceAll(string(content), "\r\n", "\n"), diff.CRLF, ""
	}
	return string(content), diff.LF, ""
}

// fieldValue returns the text that a browser has sent for a text field. Browsers send CRLF
// for every line ending.
func fieldValue(sent string) string {
	if strings.IndexByte(sent, '\r') < 0 {
		return sent
	}
	return strings.ReplaceAll(strings.ReplaceAll(sent, "\r\n", "\n"), "\r", "\n")
}

// fieldContent returns the bytes of a file for the text of a field.
func fieldContent(text string, e diff.LineEnd) []byte {
	if e == diff.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// bothEnds is for a text whose lines end in two ways.
const bothEnds diff.LineEnd = "both LF and CRLF"

// endsOf says how the lines of a text end. Of a text without line ends it is "".
func endsOf(text []byte) diff.LineEnd {
	all, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	switch {
	case all == 0:
		return ""
	case crlf == 0:
		return diff.LF
	case crlf == all:
		return diff.CRLF
	}
	return bothEnds
}

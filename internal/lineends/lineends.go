// Package lineends finds a text whose line ends are given in another form than they are stored.
package lineends

import (
	"bytes"
	"strings"
)

// InCRLF reports whether old does not occur in a text, but with \r\n for each \n does. mixed
// reports that it also occurs with \r\n for some \n only.
func InCRLF(text []byte, old string) (crlf, mixed bool) {
	with := ToCRLF(old)
	if with == old || bytes.Contains(text, []byte(old)) {
		return false, false
	}
	n := bytes.Count(text, []byte(with))
	if bytes.Count(text, []byte("\n")) == bytes.Count(text, []byte("\r\n")) {
		return n > 0, false
	}
	plain := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return n > 0, bytes.Count(plain, []byte(strings.ReplaceAll(old, "\r\n", "\n"))) > n
}

// ToCRLF returns a text with \r\n for each \n that follows no \r.
func ToCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

package names

import (
	"strconv"
	"strings"
)

// Clip returns a name as an error shows it. A long name is cut, and one with other than
// printable ASCII is quoted, because somebody else has chosen it.
func Clip(name string) string {
	const most = 80
	for i := range len(name) {
		if c := name[i]; i >= most || c < 0x20 || c >= 0x7f {
			return Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// Quote returns a text in quotes, cut to about a hundred bytes.
func Quote(text string) string {
	const most = 96
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		q := strconv.QuoteRune(r)
		if q = q[1 : len(q)-1]; b.Len()+len(q) > most {
			return b.String() + `"...`
		}
		b.WriteString(q)
	}
	b.WriteByte('"')
	return b.String()
}

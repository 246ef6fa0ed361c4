package linediff

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the chunks to dst as a compact JSON array of objects with op, count or lines, and
// no_newline where it is true. A byte that is not UTF-8 becomes U+FFFD; lines
// that have one do not come back as they were. The characters <, > and & stay as they are.
func AppendJSON(dst []byte, chunks []Chunk) []byte {
	dst = append(dst, '[')
	for i, c := range chunks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendChunk(dst, c)
	}
	return append(dst, ']')
}

func appendChunk(dst []byte, c Chunk) []byte {
	dst = append(dst, `{"op":"`...)
	dst = append(dst, c.Op.String()...)
	if c.Op == Equal && len(c.Lines) == 0 {
		dst = append(dst, `","count":`...)
		dst = strconv.AppendInt(dst, int64(c.Count), 10)
	} else {
		dst = append(dst, `","lines":[`...)
		for i, line := range c.Lines {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, line)
		}
		dst = append(dst, ']')
	}
	if c.NoNewline {
		dst = append(dst, `,"no_newline":true`...)
	}
	return append(dst, '}')
}

// AppendString appends a text to dst as a JSON string that escapes no more than
// JSON demands: control characters, quotes and backslashes. A byte that is not
// UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0 // what is before has been appended
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' {
				dst = append(dst, s[from:i]...)
				dst = appendEscaped(dst, c)
				from = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[from:i]...)
			dst = append(dst, "\uFFFD"...)
			from = i + 1
		}
		i += size
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

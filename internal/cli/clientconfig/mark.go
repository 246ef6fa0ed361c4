package clientconfig

import "bytes"

// byteOrderMark is at the beginning of a file that some editors of Windows have saved.
const byteOrderMark = "\ufeff"

// cutMark returns the text of a file, and the byte order mark before the text. UTF-16 is
// an error: no client reads such a file.
func cutMark(content []byte) (text []byte, mark string, err error) {
	if text, found := bytes.CutPrefix(content, []byte(byteOrderMark)); found {
		return text, byteOrderMark, nil
	}
	if isUTF16(content) {
		return nil, "", fail(ErrInvalid, "it is UTF-16; save it as UTF-8 first")
	}
	return content, "", nil
}

// isUTF16 reports whether a content begins with a mark of UTF-16, or with a character of
// ASCII in UTF-16.
func isUTF16(content []byte) bool {
	if len(content) < 2 {
		return false
	}
	a, b := content[0], content[1]
	return a == 0xff && b == 0xfe || a == 0xfe && b == 0xff || (a == 0) != (b == 0)
}

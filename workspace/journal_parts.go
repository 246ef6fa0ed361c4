package workspace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// splitRecord returns the entries that a text becomes, or nil if the limit of an entry in
// bytes has no room for a head and a character.
func splitRecord(text []byte, limit int64) [][]byte {
	if int64(len(text)) <= limit {
		return [][]byte{text}
	}
	for digits := 1; ; digits++ { // of the number of parts
		room := int(limit) - 2*digits - len("/ ")
		if room < utf8.UTFMax {
			return nil
		}
		pieces := cutText(text, room)
		of := strconv.Itoa(len(pieces))
		if len(of) > digits {
			continue
		}
		for i, piece := range pieces {
			pieces[i] = append([]byte(strconv.Itoa(i+1)+"/"+of+" "), piece...)
		}
		return pieces
	}
}

// cutText cuts a text into pieces of at most so many bytes, between characters.
func cutText(text []byte, most int) (pieces [][]byte) {
	for len(text) > most {
		end := most
		for !utf8.RuneStart(text[end]) {
			end--
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return append(pieces, text)
}

// readPart returns which part of how many an entry is, and the text behind its head. An
// entry without a head is part 1 of 1.
func readPart(entry []byte) (n, of int64, text []byte) {
	const longest = len("9223372036854775807/9223372036854775807 ")
	space := bytes.IndexByte(entry[:min(longest, len(entry))], ' ')
	if space < 0 {
		return 1, 1, entry
	}
	head := string(entry[:space])
	first, second, _ := strings.Cut(head, "/")
	n, err1 := strconv.ParseInt(first, 10, 64)
	of, err2 := strconv.ParseInt(second, 10, 64)
	if err1 != nil || err2 != nil || n < 1 || n > of || of < 2 || head != fmt.Sprintf("%d/%d", n, of) {
		return 1, 1, entry
	}
	return n, of, entry[space+1:]
}

// A partJoiner joins the parts of texts. The zero value expects the beginning of a text.
type partJoiner struct {
	text      []byte
	added, of int64 // parts; 0 between two texts
}

// add takes the next entry. It returns the text that the entry completes, else nil. It
// reports false if the entry is not the next part.
func (j *partJoiner) add(entry []byte) (text []byte, ok bool) {
	n, of, part := readPart(entry)
	if n != j.added+1 || j.added > 0 && of != j.of {
		return nil, false
	}
	if n == 1 {
		j.text = part
	} else {
		j.text = append(j.text, part...)
	}
	if j.added, j.of = n, of; n < of {
		return nil, true
	}
	text = j.text
	*j = partJoiner{}
	return text, true
}

// within reports whether parts of a text have been added, but not yet all of them.
func (j *partJoiner) within() bool { return j.added > 0 }

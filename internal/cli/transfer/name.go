package transfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	asFile  = "%"  // ends the name of a file whose path is also a folder
	goesOn  = "%+" // ends the name of a folder whose name goes on in the next one
	maxName = 200  // bytes of a name before it goes on; most systems allow 255
)

// escapeAll returns the name of each path in the folder, with slashes between its parts.
// The paths are valid in a workspace, and distinct.
func escapeAll(paths []string) map[string]string {
	spellings := map[string]map[string]bool{} // of a folded name in a folder; the folder's key ends in a slash
	folders := map[string]bool{}
	for _, path := range paths {
		for at := range segments(path) {
			folder, name := path[:at.from], path[at.from:at.to]
			key := folder + fold(name)
			if spellings[key] == nil {
				spellings[key] = map[string]bool{}
			}
			spellings[key][name] = true
			if at.to < len(path) {
				folders[path[:at.to]] = true
			}
		}
	}
	names := make(map[string]string, len(paths))
	for _, path := range paths {
		var parts []string
		for at := range segments(path) {
			folder, name := path[:at.from], path[at.from:at.to]
			part := escape(name, len(spellings[folder+fold(name)]) > 1)
			if at.to == len(path) && folders[path] {
				part += asFile
			}
			parts = append(parts, part)
		}
		names[path] = strings.Join(parts, "/")
	}
	return names
}

// span is a segment of a path.
type span struct{ from, to int }

// segments yields the segments of a path.
func segments(path string) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		for from := 0; from <= len(path); {
			to := len(path)
			if i := strings.IndexByte(path[from:], '/'); i >= 0 {
				to = from + i
			}
			if !yield(span{from, to}) {
				return
			}
			from = to + 1
		}
	}
}

// escape returns a segment of a path as a name, or as several with slashes between them.
func escape(segment string, twin bool) string {
	var parts []string
	var b strings.Builder
	for i, r := range segment {
		piece := string(r)
		last := i+len(piece) == len(segment)
		if !isPlain(r) || twin && fold(piece) != piece || last && (r == '.' || r == ' ') {
			piece = percent(piece)
		}
		if b.Len() > 0 && b.Len()+len(piece) > maxName {
			parts = append(parts, unreserved(b.String())+goesOn)
			b.Reset()
		}
		b.WriteString(piece)
	}
	return strings.Join(append(parts, unreserved(b.String())), "/")
}

// isPlain reports whether all systems allow a character in a name.
func isPlain(r rune) bool {
	return r == '.' || r == '-' || r == '_' || r == ' ' || unicode.IsLetter(r) || unicode.IsMark(r) ||
		unicode.IsDigit(r)
}

// unreserved escapes the first letter of a name that Windows reserves for a device.
func unreserved(name string) string {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	device := strings.TrimRight(base, "0123456789¹²³")
	switch {
	case slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CLOCK"}, base),
		(device == "COM" || device == "LPT") && device != base:
		return percent(name[:1]) + name[1:]
	}
	return name
}

func percent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// fold returns a name as file systems compare it that do not tell capital letters from
// small ones.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, name)
}

var errName = errKind{"it is no name of an export"}

// Unescape returns the path that an escaped name stands for.
func Unescape(name string) (path string, err error) {
	var b strings.Builder
	for part, rest, more := "", name, true; more; {
		part, rest, more = strings.Cut(rest, "/")
		part, joined := strings.CutSuffix(part, goesOn)
		if !more && !joined {
			part = strings.TrimSuffix(part, asFile)
		}
		if part == "" || joined && !more {
			return "", errName
		}
		for part != "" {
			before, after, found := strings.Cut(part, "%")
			b.WriteString(before)
			if part = after; !found {
				break
			}
			if len(after) < 2 {
				return "", errName
			}
			n, err := strconv.ParseUint(after[:2], 16, 8)
			if err != nil {
				return "", errName
			}
			b.WriteByte(byte(n))
			part = after[2:]
		}
		if more && !joined {
			b.WriteByte('/')
		}
	}
	if !utf8.ValidString(b.String()) {
		return "", errName
	}
	return b.String(), nil
}

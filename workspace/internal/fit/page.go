package fit

// Page returns the first items that have at most maxBytes together, or the last ones
// if tail is set. It returns one item at least.
func Page[T any](items []T, maxBytes int, tail bool, size func(T) int) []T {
	left := maxBytes
	for n := range items {
		i := n
		if tail {
			i = len(items) - 1 - n
		}
		if left -= size(items[i]); left < 0 && n > 0 {
			if tail {
				return items[i+1:]
			}
			return items[:i]
		}
	}
	return items
}

// JSONSize returns how many bytes a text has as a JSON string that escapes no more than
// JSON demands.
func JSONSize(text []byte) int {
	n := len(text) + len(`""`)
	for _, c := range text {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++ // a backslash before it
		case c < 0x20:
			n += 5 // \u0000
		}
	}
	return n
}

// EntryJSONSize returns about how many bytes an entry of a log has as JSON.
func EntryJSONSize(content []byte) int {
	const around = 24 // its number, time and brackets
	return around + JSONSize(content)
}

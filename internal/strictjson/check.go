package strictjson

const maxDepth = 10_000 // of arrays and objects; package encoding/json refuses more too

// check reports whether a text is valid JSON, and returns the number of values in it, or a
// few more. It agrees with Valid of package encoding/json, and takes less time.
func check(text []byte) (values int, ok bool) {
	open := make([]byte, 0, 64) // the arrays and objects around i, as '[' and '{'
	for i := skipSpace(text, 0); ; {
		var c byte
		if i < len(text) {
			c = text[i]
		}
		switch {
		case c == '{' || c == '[':
			values++
			if open = append(open, c); len(open) > maxDepth {
				return 0, false
			}
			if i = skipSpace(text, i+1); i < len(text) && text[i] == c+2 { // '}' or ']'
				break
			}
			if c == '{' {
				i = name(text, i)
			}
			continue
		case c == '"':
			i = textEnd(text, i)
		case c == '-' || '0' <= c && c <= '9':
			i = numberEnd(text, i)
		default:
			i = wordEnd(text, i)
		}
		for i = skipSpace(text, i); ; i = skipSpace(text, i+1) {
			if len(open) == 0 {
				return values, i == len(text)
			}
			if i >= len(text) || text[i] != open[len(open)-1]+2 {
				break
			}
			open = open[:len(open)-1]
		}
		if i >= len(text) || text[i] != ',' {
			return 0, false
		}
		values++
		if i = skipSpace(text, i+1); open[len(open)-1] == '{' {
			i = name(text, i)
		}
	}
}

// Each of the following returns where something ends that begins at i, or more than the
// length of the text if it is not there.

// name finds the end of a name, a colon and the space around it.
func name(text []byte, i int) int {
	if i >= len(text) || text[i] != '"' {
		return len(text) + 1
	}
	if i = skipSpace(text, textEnd(text, i)); i >= len(text) || text[i] != ':' {
		return len(text) + 1
	}
	return skipSpace(text, i+1)
}

func textEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return len(text) + 1
		case c == '\\':
			if i++; i >= len(text) {
				return len(text) + 1
			}
			switch text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := escape(text[i-1:]); !ok {
					return len(text) + 1
				}
				i += 4
			default:
				return len(text) + 1
			}
		}
	}
	return len(text) + 1
}

func numberEnd(text []byte, i int) int {
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else {
		i = digits(text, i)
	}
	if i < len(text) && text[i] == '.' {
		i = digits(text, i+1)
	}
	if i < len(text) && text[i]|' ' == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		i = digits(text, i)
	}
	return i
}

// digits finds the end of one digit or more.
func digits(text []byte, i int) int {
	begin := i
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	if i == begin {
		return len(text) + 1
	}
	return i
}

func wordEnd(text []byte, i int) int {
	for _, word := range []string{"true", "false", "null"} {
		if len(text)-i >= len(word) && string(text[i:i+len(word)]) == word {
			return i + len(word)
		}
	}
	return len(text) + 1
}

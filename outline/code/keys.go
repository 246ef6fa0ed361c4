package code

// StringFeed stands for a line feed in a string.
const StringFeed = 2

// BlankKeys blanks the comments of a text of keys and values, which begin with
// number signs. If the values have quotes, line feeds within them are [StringFeed].
func BlankKeys(text, quotes string) string {
	s := syntax{spans: []span{hash}}
	if quotes != "" {
		s = hashes
	}
	out := []byte(blank(text, &s))
	for i := range out {
		if out[i] == inString && text[i] == '\n' {
			out[i] = StringFeed
		}
	}
	return string(out)
}

// IsStatement says whether a word in capitals begins a statement of SQL.
func IsStatement(word string) bool { return listed(statements, word) }

package conversation

import (
	"encoding/json"
	"slices"
	"strings"
)

// A finding is an exact string and what it is.
type finding struct {
	text string
	kind evidenceKind
}

// An evidenceKind orders the findings of one message.
type evidenceKind uint8

const (
	urgentKind   evidenceKind = iota // anything on a line of a result that tells of an error
	commandKind                      //
	decisionKind                     //
	pathKind                         //
	urlKind                          //
	idKind                           // hashes, UUIDs, addresses, versions, tickets: names with digits
	nameKind                         // identifiers of a program
	numberKind                       // with its unit or its label
)

const (
	// mostFindings bounds what is remembered of one message, mostCalm of one
	// result when no line tells of an error.
	mostFindings = 2048
	mostCalm     = 256

	// A longer text that somebody wrote was pasted, and counts as a result.
	longestWritten = 8 << 10

	// A message may take half of the budget with what was written, a sixth
	// with what a tool returned, a thirty-second with the text of a program; with
	// both of these so much more in a small budget that a few strings fit.
	writtenShare, bulkShare, codeShare = 2, 6, 32
	leastStrings                       = 10

	// A result with more strings than this is a listing: nothing says which of
	// them matter, and those that do are written again by whoever uses them.
	listing = 32

	// The result of a call that failed tells of the error on each of its lines,
	// if it is shorter than this.
	shortFailure = 1 << 10

	// mostNames are the identifiers that a result may add.
	mostNames = 4

	// usualTokens is about what a string costs.
	usualTokens = 9
)

// A finder collects findings.
type finder struct {
	found []finding
	seen  map[string]struct{}

	exact   bool // it was written by the user or the model, not printed by a program
	user    bool // it was written by the user
	trouble bool // the line tells of an error
	code    bool // the result is that of reading a program
}

func (f *finder) add(kind evidenceKind, text string) {
	if !f.exact && !f.trouble && len(f.found) >= mostCalm {
		return
	}
	if len(f.found) >= mostFindings || len(text) < 2 || len(text) > longestEvidence {
		return
	}
	if f.seen != nil {
		if _, ok := f.seen[text]; ok {
			return
		}
		f.seen[text] = struct{}{}
	}
	f.found = append(f.found, finding{text, kind})
}

// findEvidence returns what a message holds, the most telling first, and how
// many tokens of a budget it may take.
func findEvidence(m Message, maxTokens int) ([]finding, int) {
	f := finder{seen: make(map[string]struct{}), exact: m.Role != Tool, user: m.Role == User}
	if m.Role == Tool {
		f.result(m.Text(), m.IsError)
		return f.bulk(maxTokens)
	}
	share := max(maxTokens/writtenShare, 1)
	if text := m.Text(); len(text) <= longestWritten {
		f.written(text)
	} else {
		pasted := finder{seen: f.seen}
		pasted.result(text, false)
		f.found, share = pasted.bulk(maxTokens)
	}
	for _, p := range m.Parts {
		if p.Type == ImagePart && strings.HasPrefix(p.URL, "http") {
			f.add(urlKind, p.URL)
		}
	}
	code := finder{seen: make(map[string]struct{})}
	for _, c := range m.ToolCalls {
		f.arguments(c.Arguments, &code)
	}
	f.sort()
	if len(code.found) == 0 {
		return f.found, share
	}
	rest, most := code.bulk(maxTokens)
	if len(f.found) == 0 {
		return rest, most
	}
	return append(f.found, rest[:min(len(rest), max(most/usualTokens, 1))]...), share
}

// bulk returns the findings of a text that a program printed: those of a listing
// are nothing but its errors.
func (f *finder) bulk(maxTokens int) ([]finding, int) {
	share := max(maxTokens/bulkShare, leastStrings*usualTokens)
	if f.code {
		share = max(maxTokens/codeShare, leastStrings/5*usualTokens)
	}
	f.sort()
	calm, names := f.first(commandKind), f.first(nameKind)
	switch {
	case len(f.found)-calm > listing:
		f.found = f.found[:calm]
	case f.code:
		f.found = f.found[:names]
	case f.first(numberKind)-names > mostNames:
		f.found = slices.Delete(f.found, names+mostNames, f.first(numberKind))
	}
	return f.found, share
}

// first returns where the findings of a kind begin, once they are sorted.
func (f *finder) first(kind evidenceKind) int {
	i, _ := slices.BinarySearchFunc(f.found, kind, func(f finding, k evidenceKind) int { return int(f.kind) - int(k) })
	return i
}

func (f *finder) sort() {
	slices.SortStableFunc(f.found, func(a, b finding) int { return int(a.kind) - int(b.kind) })
}

// arguments finds what the string values of a call's arguments hold; code gets
// what stands in those of many lines, which are files and patches. What is cut
// off, and so no JSON, is read as it is.
func (f *finder) arguments(arguments json.RawMessage, code *finder) {
	text := string(arguments)
	if !json.Valid(arguments) {
		code.result(text, false)
		return
	}
	key := ""
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end, escaped := i+1, false
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
				escaped = true
			}
			end++
		}
		value := text[i+1 : end]
		if escaped {
			var s string
			if json.Unmarshal(arguments[i:end+1], &s) != nil {
				s = ""
			}
			value = s
		}
		i = end
		if rest := strings.TrimLeft(text[end+1:min(end+16, len(text))], " \t\r\n"); strings.HasPrefix(rest, ":") {
			key = strings.ToLower(value)
			continue
		}
		f.argument(key, value, code)
	}
}

// argument finds what one value holds.
func (f *finder) argument(key, value string, code *finder) {
	lines := strings.Count(value, "\n")
	switch {
	case commandKeys[key]:
		f.shell(value)
	case lines > 0 && looksLikeSQL(value) && lines < 20:
		f.sql(value)
	case lines > 0 || len(value) > 2*longestEvidence:
		code.result(value, false)
	case looksLikeSQL(value):
		f.add(commandKind, value)
		f.words(value)
	case isPathKey(key) && isPathValue(value):
		f.add(pathKind, value)
		f.words(value)
	default:
		f.words(value)
	}
}

func isPathKey(key string) bool {
	return strings.Contains(key, "path") || strings.Contains(key, "file") || strings.Contains(key, "dir") ||
		key == "cwd" || key == "root" || key == "folder"
}

// isPathValue reports whether the value of a path argument says more than "here".
func isPathValue(value string) bool {
	return len(value) > 2 && strings.TrimLeft(value, "./~") != "" && !strings.ContainsAny(value, "{}<>|\"")
}

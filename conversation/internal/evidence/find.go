package evidence

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A finding is an exact string with its kind.
type finding struct {
	text string
	kind kind
}

// A kind says what a finding is. The findings of one message are sorted by it.
type kind uint8

const (
	urgentKind   kind = iota // anything on a line of a result that reports an error
	commandKind              //
	decisionKind             //
	pathKind                 //
	urlKind                  //
	idKind                   // a name with digits: a hash, UUID, address, version or ticket
	nameKind                 // an identifier of a program
	numberKind               // a number with its unit or its label
)

const (
	// mostFindings is the most findings of one message. mostCalm is the most
	// findings after which the lines of a result that report no error are passed over.
	mostFindings = 512
	mostCalm     = listing + 1

	// A text of the user or the model with more bytes than this was pasted. It is
	// read like a result.
	longestWritten = 8 << 10

	// One message may use half of the budget for written text, a sixth for the
	// result of a tool, and a thirty-second for program code. In a small budget the
	// last two may use more, so that leastStrings fit, or a fifth of them for code.
	writtenShare, bulkShare, codeShare = 2, 6, 32
	leastStrings                       = 10

	// A result with more strings than this is a listing. Nothing says which of them
	// matter, and the ones that do are written again by whoever uses them.
	listing = 32

	// If the result of a failed call has fewer bytes than this, each of its lines
	// reports the error.
	shortFailure = 1 << 10

	// mostNames is the most identifiers that one result may add.
	mostNames = 4

	// usualTokens is about the cost of one string.
	usualTokens = 9
)

// A finder collects the findings of one text. Its flags describe the text or the
// line that is being read.
type finder struct {
	found []finding
	seen  map[string]struct{}

	exact   bool // the user or the model wrote it; a program did not print it
	user    bool // the user wrote it
	trouble bool // the line reports an error
	code    bool // the result is program code
}

func (f *finder) add(kind kind, text string) {
	if !f.exact && !f.trouble && len(f.found) >= mostCalm {
		return
	}
	if len(f.found) >= mostFindings || len(text) < 2 || len(text) > longest {
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

// find returns the findings of a message, the most important first, and how many
// tokens of the budget they may use.
func find(m Message, maxTokens int) ([]finding, int) {
	f := finder{seen: make(map[string]struct{}), exact: m.From != Result, user: m.From == User}
	if m.From == Result {
		f.result(m.Text, m.Failed)
		return f.bulk(maxTokens)
	}
	share := max(maxTokens/writtenShare, 1)
	if len(m.Text) <= longestWritten {
		f.written(m.Text)
	} else {
		pasted := finder{seen: f.seen}
		pasted.result(m.Text, false)
		f.found, share = pasted.bulk(maxTokens)
	}
	for _, url := range m.Images {
		if strings.HasPrefix(url, "http") {
			f.add(urlKind, url)
		}
	}
	code := finder{seen: make(map[string]struct{})}
	for _, a := range m.Arguments {
		f.arguments(a, &code)
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

// bulk returns the findings of a text that a program printed, and how many tokens
// they may use. Of a listing it returns the errors only.
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

// first returns where the findings of a kind begin. The findings are sorted.
func (f *finder) first(k kind) int {
	i, _ := slices.BinarySearchFunc(f.found, k, func(f finding, k kind) int { return int(f.kind) - int(k) })
	return i
}

func (f *finder) sort() {
	slices.SortStableFunc(f.found, func(a, b finding) int { return int(a.kind) - int(b.kind) })
}

// arguments searches the string values in the arguments of a call. The findings of
// values with many lines, which are files and patches, go to code. Arguments that
// are not JSON were cut off; they are read as plain text.
func (f *finder) arguments(arguments []byte, code *finder) {
	var value any
	if json.Unmarshal(arguments, &value) != nil {
		code.result(string(arguments), false)
		return
	}
	f.values("", value, code)
}

// values searches the strings in a value. key is the name of its member.
func (f *finder) values(key string, value any, code *finder) {
	switch v := value.(type) {
	case string:
		f.argument(strings.ToLower(key), v, code)
	case []any:
		for _, e := range v {
			f.values(key, e, code)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.values(name, v[name], code)
		}
	}
}

// argument searches one string value. key is the name of its member.
func (f *finder) argument(key, value string, code *finder) {
	lines := strings.Count(value, "\n")
	switch {
	case commandKeys(key):
		f.shell(value)
	case lines > 0 && looksLikeSQL(value) && lines < 20:
		f.sql(value)
	case lines > 0 || len(value) > 2*longest:
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

// isPathValue reports whether the value of a path argument names more than the
// current folder.
func isPathValue(value string) bool {
	return len(value) > 2 && strings.TrimLeft(value, "./~") != "" && !strings.ContainsAny(value, "{}<>|\"")
}

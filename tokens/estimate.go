package tokens

import (
	"math"
	"unicode/utf8"
)

// Estimate returns about how many o200k_base tokens a text has. It errs high more
// often than low. It is 0 for "" and at least 1 for any other text. A byte that is not
// valid UTF-8 counts as one token. Estimate is safe for concurrent use.
func Estimate(text string) int { return estimate(text, math.MaxInt) }

// EstimateBytes is [Estimate] for bytes. It neither keeps nor copies text.
func EstimateBytes(text []byte) int { return estimate(text, math.MaxInt) }

// Within reports whether [EstimateBytes] of a text is at most a number of tokens. It reads
// only as much of the text as it needs to know that.
func Within(text []byte, most int) bool {
	stop := math.MaxInt
	if most < math.MaxInt/token-1 {
		stop = (most + 1) * token
	}
	return estimate(text, stop) <= most
}

// The estimate cuts a text into pieces, as o200k_base does before it looks at its
// vocabulary. A piece is a word with one space or mark before it, up to three digits, a
// run of marks with its line end, or a run of blanks without the last. The cost of a
// piece depends on its kind and length. The mean costs below are in hundredths of a
// token. They were measured with the exact tokenizer on the sources of Go, CPython and
// RxJS, on Rust's books and their translations, on manual pages and message catalogues,
// and on generated JSON and logs.
const (
	token = 100

	// One token in margin is added. Texts vary around the means, and it is worse to
	// exceed a budget than to leave some of it.
	margin = 25
)

// A class is what a byte is at the start of a piece.
type class uint8

const (
	mark    class = iota // punctuation and control bytes
	blank                // white space within a line
	newline              // \n and \r
	digit
	lower
	upper
	latin // leads a two-byte rune that is mostly a Latin letter
	wide  // any other byte of a rune outside ASCII
)

var classes = func() (t [256]class) {
	for c := range t {
		switch {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			t[c] = blank
		case c == '\n' || c == '\r':
			t[c] = newline
		case '0' <= c && c <= '9':
			t[c] = digit
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case 0xC3 <= c && c <= 0xC9:
			t[c] = latin
		case c >= utf8.RuneSelf:
			t[c] = wide
		}
	}
	return t
}()

func isLetter(c class) bool { return lower <= c && c <= latin }

// Costs of a word by its number of letters; each further letter adds the
// difference of the last two.
var (
	spacedWord = [...]uint16{0, 100, 100, 101, 102, 104, 108, 108, 114, 118, 124, 132, 138, 140, 155, 175, 200}
	bareWord   = [...]uint16{0, 100, 105, 112, 112, 114, 118, 124, 142, 158, 150, 165, 185, 200, 225, 250, 275}
	spacedCaps = [...]uint16{0, 100, 101, 110, 112, 125, 138, 150, 160, 180, 195, 215, 235, 255, 275, 300, 325}
	bareCaps   = [...]uint16{0, 100, 108, 122, 126, 140, 160, 195, 210, 240, 270, 300, 330, 360, 390, 420, 450}
)

// joinCost is what a mark adds to the word after it. It is little if the vocabulary
// has many words with that mark in front. Otherwise it is a whole token.
var joinCost = func() (t [utf8.RuneSelf]uint8) {
	for c := range t {
		t[c] = 95
	}
	for c, cost := range map[byte]uint8{
		' ': 0, '.': 8, '_': 8, '(': 10, '\t': 10, '<': 15, '@': 10, '&': 10, '?': 10, '%': 20,
		'\\': 20, '[': 30, '-': 30, '/': 40, '"': 60,
	} {
		t[c] = cost
	}
	return t
}()

// accentCost is what a letter outside ASCII adds to a Latin word.
const accentCost = 65

// A script is a range of runes outside ASCII. It has the cost of the first rune of a
// run, of each further rune, and of a space before the run. Each other mark costs as much
// as the first. Marks include the line end after them.
type script struct {
	lo, hi             rune
	first, rest, space uint8
	marks              bool
}

var scripts = [...]script{
	{firstHan, lastHan, 0, 0, 55, false},  // Han, costed by chinese
	{0x3000, 0x303F, 100, 90, 0, true},    // CJK punctuation
	{0xFF00, 0xFFEF, 100, 90, 0, true},    // full-width forms
	{0x3040, 0x309F, 90, 55, 27, false},   // Hiragana
	{0x30A0, 0x30FF, 105, 62, 13, false},  // Katakana
	{0xAC00, 0xD7A3, 100, 55, 0, false},   // Hangul
	{0x0400, 0x052F, 75, 22, 0, false},    // Cyrillic
	{0x0600, 0x06FF, 75, 25, 0, false},    // Arabic
	{0x0900, 0x097F, 70, 29, 0, false},    // Devanagari
	{0x0370, 0x03FF, 70, 38, 0, false},    // Greek
	{0x0590, 0x05FF, 60, 42, 0, false},    // Hebrew
	{0x0E00, 0x0E7F, 70, 42, 11, false},   // Thai
	{0x0E80, 0x0EFF, 185, 185, 60, false}, // Lao
	{0x1000, 0x109F, 70, 45, 0, false},    // Burmese
	{0x1780, 0x17FF, 70, 50, 0, false},    // Khmer
	{0x0530, 0x058F, 80, 35, 0, false},    // Armenian
	{0x10A0, 0x10FF, 80, 35, 0, false},    // Georgian
	{0x0980, 0x0DFF, 80, 37, 0, false},    // other Indic
	{0x0080, 0x00BF, 100, 90, 0, true},    // Latin-1 marks
	{0x2000, 0x206F, 100, 80, 0, true},    // dashes, quotes, joiners
	{0x2500, 0x257F, 100, 30, 0, true},    // box drawing
	{0x2580, 0x259F, 170, 60, 0, true},    // blocks
	{0x25A0, 0x25AF, 130, 40, 0, true},    // squares
	{0x2100, 0x23FF, 110, 110, 0, true},   // letter-like, arrows, operators
	{0x2600, 0x27BF, 120, 120, 0, true},   // symbols, dingbats
	{0xFE00, 0xFE0F, 30, 30, 0, true},     // variation selectors
	{0x1F000, 0x1FAFF, 160, 160, 0, true}, // emoji
	{0, -1, 200, 0, 0, false},             // the rest, rune by rune
}

// estimate stops early when the cost has reached stop.
func estimate[T string | []byte](text T, stop int) int {
	cost := 0
	for i := 0; i < len(text) && cost < stop; {
		var c int
		switch classes[text[i]] {
		case blank, newline:
			i, c = space(text, i)
		case digit:
			i, c = number(text, i)
		case wide:
			i, c = foreign(text, i)
		case mark:
			i, c = marks(text, i)
		default:
			i, c = word(text, i, &bareWord)
		}
		cost += c
	}
	if len(text) == 0 {
		return 0
	}
	return max(1, (cost+cost/margin+token/2)/token)
}

// space returns the cost of white space from i on, with the piece that takes the last
// blank.
func space[T string | []byte](text T, i int) (end, cost int) {
	start, lines := i, 0 // lines is where the last line end of the run stops
	for i < len(text) && (classes[text[i]] == blank || classes[text[i]] == newline) {
		i++
		if classes[text[i-1]] == newline {
			lines = i
		}
	}
	if lines > 0 {
		return lines, token + run(lines-start, 16)
	}
	if i == len(text) {
		return i, token + run(i-start, 64)
	}
	if i-start > 1 {
		cost = token + run(i-start, 64)
	}
	sep := text[i-1]
	c := 0
	switch next := classes[text[i]]; {
	case isLetter(next) && sep == ' ':
		i, c = word(text, i, &spacedWord)
	case isLetter(next):
		i, c = word(text, i, &bareWord)
		c += int(joinCost[sep])
	case next == mark && sep == ' ':
		i, c = punctuation(text, i)
	case next == wide && sep == ' ':
		if r, size := decode(text, i); size > 1 {
			c = int(scriptOf(r).space)
		}
	default:
		c = token
	}
	return i, cost + c
}

const escape = 0x1B // begins the colours of a terminal

// run returns what n repetitions of a byte add to its first token. The vocabulary has
// repetitions up to the longest.
func run(n, longest int) int { return n / longest * token }

func number[T string | []byte](text T, i int) (end, cost int) {
	start := i
	for i < len(text) && classes[text[i]] == digit {
		i++
	}
	return i, (i - start + 2) / 3 * token
}

// marks returns the cost of a mark with the word after it, or of a run of marks.
func marks[T string | []byte](text T, i int) (end, cost int) {
	if i+1 < len(text) && isLetter(classes[text[i+1]]) {
		end, cost = word(text, i+1, &bareWord)
		return end, cost + int(joinCost[text[i]])
	}
	return punctuation(text, i)
}

// punctuation returns the cost of a run of marks with its line end. A repeated mark is
// nearly free. Up to three different marks are mostly one token, but neither after an escape
// nor after four of the same.
func punctuation[T string | []byte](text T, i int) (end, cost int) {
	start, first, changes := i, i, 0 // first is the first mark of those that are the same
	for i < len(text) && classes[text[i]] == mark {
		if i > start && text[i] != text[i-1] {
			if i-first >= 4 || text[i-1] == escape {
				cost += token
			} else {
				changes++
			}
			first = i
		}
		i++
	}
	cost += token + run(i-start, 64)
	if changes > 2 {
		cost += (changes - 2) * 42
	}
	for i < len(text) && (classes[text[i]] == newline || text[i] == '/') {
		i++
	}
	return i, cost
}

// word returns the cost of a run of letters. The tokenizer splits it at each change
// from a small to a capital letter. A contraction such as 's belongs to it.
func word[T string | []byte](text T, i int, costs *[17]uint16) (end, cost int) {
	start := i
	for i < len(text) && classes[text[i]] == upper {
		i++
	}
	capitals, letters, accents := i-start, i-start, 0
	for i < len(text) {
		if classes[text[i]] == lower {
			i++
			letters++
			continue
		}
		size := accentedSize(text, i)
		if size == 0 {
			break
		}
		i += size
		letters++
		accents++
	}
	switch {
	case letters == 0: // a lone byte of a Latin letter
		return i + 1, token
	case capitals == letters && costs == &spacedWord:
		costs = &spacedCaps
	case capitals == letters:
		costs = &bareCaps
	case capitals > 1:
		cost = token // as in HTTPServer
	case letters > 2 && start > 0 && classes[text[start-1]] == digit:
		cost = token / 2 // as in base64
	}
	last := len(costs) - 1
	cost += int(costs[min(letters, last)]) + accents*accentCost
	if letters > last {
		cost += (letters - last) * int(costs[last]-costs[last-1])
	}
	if i < len(text) && text[i] == '\'' {
		size, c := contraction(text, i)
		return i + size, cost + c
	}
	return i, cost
}

// accentedSize returns the size of the Latin letter outside ASCII at i, or 0.
func accentedSize[T string | []byte](text T, i int) int {
	switch c := text[i]; {
	case c < utf8.RuneSelf:
		return 0
	case classes[c] == latin && i+1 < len(text) && text[i+1]&0xC0 == 0x80:
		return 2
	case c == 0xE1 && i+2 < len(text) && 0xB8 <= text[i+1] && text[i+1] <= 0xBB && text[i+2]&0xC0 == 0x80:
		return 3 // U+1E00 to U+1EFF
	}
	return 0
}

func contraction[T string | []byte](text T, i int) (size, cost int) {
	end := i + 1
	for end < len(text) && end < i+4 && classes[text[end]] == lower {
		end++
	}
	switch string(text[i:end]) {
	case "'s", "'d":
		return 2, token * 2 / 3
	case "'t", "'m":
		return 2, 0
	case "'ll", "'re", "'ve":
		return 3, 0
	}
	return 0, 0
}

// foreign returns the cost of a run of runes of one script.
func foreign[T string | []byte](text T, i int) (end, cost int) {
	r, size := decode(text, i)
	if r == utf8.RuneError && size == 1 {
		return i + 1, token
	}
	if r == '’' && i+size < len(text) && classes[text[i+size]] == lower {
		return i + size, 0 // joined to the letters that follow
	}
	s := scriptOf(r)
	if s.lo == firstHan {
		return chinese(text, i)
	}
	cost = int(s.first)
	last := r
	for i += size; i < len(text); i += size {
		r, size = decode(text, i)
		if r < s.lo || r > s.hi || size < 2 {
			break
		}
		if s.marks && r != last {
			cost += int(s.first)
		} else {
			cost += int(s.rest)
		}
		last = r
	}
	for s.marks && i < len(text) && classes[text[i]] == newline {
		i++
	}
	return i, cost
}

func scriptOf(r rune) *script {
	for i := range scripts {
		if s := &scripts[i]; s.lo <= r && r <= s.hi {
			return s
		}
	}
	return &scripts[len(scripts)-1]
}

// decode is [utf8.DecodeRune] at i. It converts at most four bytes, which stay on the
// stack.
func decode[T string | []byte](text T, i int) (rune, int) {
	return utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
}

// Package condition finds the entries of a log for which conditions such as host=web-07 hold.
// An entry is a JSON object.
package condition

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// Most is how many conditions a [List] may have.
const Most = 10

// A List has conditions that must all hold. It is not safe for concurrent use.
type List struct {
	conditions []condition
	texts      [][]byte // an entry without backslashes does not match if it lacks one of them

	open  []scope  // the arrays and objects of the entry that are open, the outer ones first
	names []string // of the members of the open objects so far
}

// A condition compares a field of an entry with a value.
type condition struct {
	field    []string // the names that lead to the field, the outer one first
	op       string
	value    string    // in lower case for ~
	isNumber bool      // value is a number of JSON
	time     time.Time // value as a time; zero if it is none
}

var (
	form = regexp.MustCompile(`^((?:[^\s=<>~!]|![^\s=<>~])+)(!=|<=|>=|[=<>~])` + // field and operator
		`(?:"((?:\\"|[^"])*)"|([^\s"]\S*))(?:\s+|$)`) // value
	numberForm = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`)
)

// orders are the orders of field and value with which an operator holds. ~ has none.
var orders = map[string][]int{"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}

// Parse reads conditions with spaces between them, such as: host=web-07 failed>100. The error
// says how to write them.
func Parse(text string) (*List, error) {
	l := new(List)
	for rest := strings.TrimSpace(text); rest != ""; {
		found := form.FindStringSubmatch(rest)
		if found == nil {
			return nil, fmt.Errorf("%.40q is no condition; write conditions like host=web-07 or ms>=100 without "+
				"spaces inside, with = != < <= > >= or ~, or with quotes around the value", rest)
		}
		l.add(strings.Split(found[1], "."), found[2], found[4]+strings.ReplaceAll(found[3], `\"`, `"`))
		rest = rest[len(found[0]):]
	}
	if n := len(l.conditions); n == 0 || n > Most {
		return nil, fmt.Errorf("it has %d conditions, allowed are 1-%d", n, Most)
	}
	return l, nil
}

func (l *List) add(field []string, op, value string) {
	c := condition{field: field, op: op, value: value, isNumber: numberForm.MatchString(value), time: parseTime(value)}
	for _, name := range field {
		l.texts = append(l.texts, []byte(`"`+name+`"`))
	}
	switch {
	case op == "~":
		c.value = strings.ToLower(value)
	case op == "=" && !c.isNumber && c.time.IsZero():
		l.texts = append(l.texts, []byte(value))
	}
	l.conditions = append(l.conditions, c)
}

// holds reports whether the condition holds for a string, a number, true, false or null.
func (c *condition) holds(raw []byte) bool {
	text, isString := strictjson.Text(raw)
	if !isString {
		text = string(raw)
	}
	isWord := raw[0] >= 'a' // true, false or null
	order := strings.Compare(text, c.value)
	switch t := parseTime(text); {
	case isWord && (c.op[0] == '<' || c.op[0] == '>'), !isString && !isWord && !c.isNumber:
		return false
	case c.op == "~":
		return strings.Contains(strings.ToLower(text), c.value)
	case isString && !t.IsZero() && !c.time.IsZero():
		order = t.Compare(c.time)
	case !isString && !isWord:
		order = compareNumbers(text, c.value)
	}
	return slices.Contains(orders[c.op], order)
}

// mostDigits is how long two numbers may be together that are compared exactly.
const mostDigits = 400

// compareNumbers compares as text if a number is too large for a float64.
func compareNumbers(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err != nil || err2 != nil {
		return strings.Compare(a, b)
	}
	if x == y && x != 0 && a != b && len(a)+len(b) < mostDigits { // as above 2^53
		exact, _ := new(big.Rat).SetString(a)
		other, _ := new(big.Rat).SetString(b)
		return exact.Cmp(other)
	}
	return cmp.Compare(x, y)
}

// parseTime returns a time of RFC 3339, or of the beginning of one, which is in UTC. A space may
// stand in place of the T. It returns the zero time for other texts.
func parseTime(text string) time.Time {
	const most = 40 // bytes
	if len(text) < len(time.DateOnly) || len(text) > most || text[4] != '-' || text[7] != '-' {
		return time.Time{}
	}
	text = strings.Replace(text, " ", "T", 1)
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

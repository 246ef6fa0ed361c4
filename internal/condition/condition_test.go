package condition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// at is an entry with a time.
const at = `{"at":"2026-11-28T10:00:00Z"}`

var matches = []struct {
	where, entry string
	want         bool
}{
	{"host=web-07", `{"host":"web-07"}`, true},
	{"host=web-07 failed>100", `{"host":"web-07","failed":101}`, true},
	{"host=web-07   failed>100", `{"host":"web-07","failed":100}`, false},
	{"failed>100 failed<200", ` {"failed" : 150 } `, true},
	{"failed>100 failed<200", `{"failed":200}`, false},
	// A string compares as text, also with a number.
	{"n=5", `{"n":"5"}`, true},
	{"n=5", `{"n":"5.0"}`, false},
	{"n>10", `{"n":"5"}`, true},
	{"n!=5", `{"n":"x"}`, true},
	{"v>=b", `{"v":"b"}`, true},
	{"v<b", `{"v":"B"}`, true},
	{"v=", `{"v":""}`, false}, // refused, see TestParse
	{`v=""`, `{"v":""}`, true},
	{"n=true", `{"n":"true"}`, true},
	// Numbers.
	{"n=5", `{"n":5.0}`, true},
	{"n<5", `{"n":-10}`, true},
	{"n!=5", `{"n":5}`, false},
	{"n=0", `{"n":-0}`, true},
	{"n=9007199254740993", `{"n":9007199254740993}`, true},
	{"n=9007199254740993", `{"n":9007199254740992}`, false},
	{"n>12345678901234567890", `{"n":12345678901234567891}`, true},
	{"n=12345678901234567890", `{"n":1234567890123456789e1}`, true},
	{"n=0.1", `{"n":1e-1}`, true},
	{"n~40", `{"n":404}`, true},
	{"n!=x", `{"n":5}`, false},
	{"n=007", `{"n":7}`, false},
	{"n!=0x10", `{"n":5}`, false},
	{"n>2026-01-01", `{"n":5}`, false},
	{"n=1e400", `{"n":1e400}`, true},
	{"n=1e401", `{"n":10e400}`, false},
	{"n>5", `{"n":1e400}`, false},
	{"n>0", `{"n":1e400}`, true},
	{"n<1e400", `{"n":2}`, false},
	// True, false and null.
	{"ok=true", `{"ok":true}`, true},
	{"ok!=true", `{"ok":false}`, true},
	{"ok!=null", `{"ok":null}`, false},
	{"ok=null", `{"ok":null}`, true},
	{"ok>5", `{"ok":null}`, false},
	// Times.
	{"at=2026-11-28T11:00:00+01:00", at, true},
	{"at!=2026-11-28T11:00:00+01:00", at, false},
	{"at>2026-11-28T10:59:59.5+01:00", at, true},
	{"at<2026-11-28", at, false},
	{"at>=2026-11-28", at, true},
	{`at="2026-11-28 10:00"`, at, true},
	{"at~2026-11", at, true},
	{"at>2026-11", at, true}, // as text
	{"at!=2026-11-28T10:00:00Z", `{"at":"never"}`, true},
	// Text within.
	{"v~FAIL", `{"v":"has Failed"}`, true},
	{"v~Ä", `{"v":"bär"}`, true},
	{"v~", `{"v":"has Failed"}`, false},
	{`v="a b"`, `{"v":"a b"}`, true},
	{`v="say \"hi\""`, `{"v":"say \"hi\""}`, true},
	{`v="C:\dir" w=1`, `{"v":"C:\\dir","w":1}`, true},
	{`v=a"b`, `{"v":"a\"b"}`, true},
	{`v=é`, `{"v":"\u00e9"}`, true},
	{`é=1`, `{"\u00e9":1}`, true},
	{`v==b`, `{"v":"=b"}`, true},
	{`v>=`, `{"v":"="}`, false},
	// Within objects.
	{"a.b.c=1", `{"x":{"b":{"c":2}},"a":{"b":{"c":1}}}`, true},
	{"a.b.c=1", `{"a":{"b":{"x":{"c":1}}}}`, false},
	{"a.b=1 a.c=2", `{"a":{"c":2,"b":1}}`, true},
	{"a.b!=1", `{"a":1}`, false},
	{"a!=1", `{"a":{"a":2}}`, false},
	{"a.b=1", `{"a":[{"b":1}]}`, false},
	{"b=1", `{"a":[{"b":2},"b",1],"b":1}`, true},
	// What is missing, no object, or has a duplicate.
	{"a!=1", `{"b":1}`, false},
	{"a=1", `{"a":1,"a":1}`, false},
	{"a=1", `{"a":1,"\u0061":1}`, false},
	{"a=1", `{"a":1,"b":[{"c":1,"c":2}]}`, false},
	{"a=1", `{"a":1,"b":{"a":1}}`, true},
	{"a=1", `[{"a":1}]`, false},
	{"a=1", `{"a":1} {"a":1}`, false},
	{"a=1", `{"a":1`, false},
	{"a=1", ``, false},
	{"a=1", `"a"`, false},
}

func TestMatch(t *testing.T) {
	for _, test := range matches {
		l, err := condition.Parse(test.where)
		if err != nil {
			l = nil
		}
		if got := l != nil && l.Match([]byte(test.entry)); got != test.want {
			t.Errorf("Match(%s, %s) = %t, want %t", test.where, test.entry, got, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	ten := strings.TrimSpace(strings.Repeat("a=1 ", 10))
	for _, where := range []string{ten, "a=1\n\tb=2", `a="x" b=1`} {
		if _, err := condition.Parse(where); err != nil {
			t.Errorf("Parse(%q): %v", where, err)
		}
	}
	for where, says := range map[string]string{
		"":              "it has 0 conditions",
		ten + " a=1":    "it has 11 conditions, allowed are 1-10",
		"failed > 100":  `"failed > 100" is no condition`,
		"failed> 100":   `"failed> 100" is no condition`,
		"a=1 b":         `"b" is no condition`,
		"=1":            "no condition",
		"!=1":           "no condition",
		"a=":            "no condition",
		`a="x`:          "no condition",
		`a="x"y`:        "no condition",
		`a="x" and b=1`: `"and b=1" is no condition`,
	} {
		if _, err := condition.Parse(where); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q): %v, want an error with %q", where, err, says)
		}
	}
}

// Entries of 64 KiB that nest, or have many names, take milliseconds.
func TestLargeEntries(t *testing.T) {
	const size = 64 << 10
	var names strings.Builder
	for i := 0; names.Len() < size; i++ {
		fmt.Fprintf(&names, `"k%d":0,`, i*7919%10007)
	}
	for name, inner := range map[string]string{
		"arrays":  strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"deep":    strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"objects": strings.Repeat(`{"b":`, 9000) + "1" + strings.Repeat("}", 9000),
		"names":   "{" + strings.TrimSuffix(names.String(), ",") + "}",
		"digits":  strings.Repeat("9", size),
	} {
		l, err := condition.Parse("z=1 a.b!=1")
		testkit.Must(t, err)
		quickest := time.Hour // of ten, because other work on the machine delays some
		for range 10 {
			begin := time.Now()
			l.Match([]byte(`{"z":1,"a":` + inner + `}`))
			quickest = min(quickest, time.Since(begin))
		}
		if quickest > 100*time.Millisecond {
			t.Errorf("%s: an entry took %v", name, quickest)
		}
	}
	l, err := condition.Parse("z=1")
	testkit.Must(t, err)
	if l.Match([]byte(`{"a":{` + names.String() + `"k0":0},"z":1}`)) {
		t.Error("a duplicate among thousands of names matches")
	}
}

package diff

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 200, Long: 3000, Full: 200000}.Set()
	os.Exit(m.Run())
}

// shown is a side with its marks between « and ».
func shown(r Row, s Side) string {
	if s.Line == 0 {
		return ""
	}
	if !r.Marked && r.Kind != Equal {
		return "«" + s.Text + "»"
	}
	var b strings.Builder
	at := 0
	for _, m := range s.Marks {
		fmt.Fprintf(&b, "%s«%s»", s.Text[at:m[0]], s.Text[m[0]:m[1]])
		at = m[1]
	}
	return b.String() + s.Text[at:]
}

// show is a view of all rows, one to a line.
func show(v *View) string {
	var b strings.Builder
	for _, r := range v.Rows(0, v.Len()) {
		ends := ""
		if r.EndDiffers {
			ends = fmt.Sprintf(" %s, %s", r.Old.End, r.New.End)
		}
		switch r.Kind {
		case Gap:
			fmt.Fprintf(&b, "gap %d %d %d\n", r.Old.Line, r.New.Line, r.Lines)
		default:
			fmt.Fprintf(&b, "%v %d %d |%s|%s|%s\n", r.Kind, r.Old.Line, r.New.Line, shown(r, r.Old), shown(r, r.New), ends)
		}
	}
	return b.String()
}

var markTests = []struct {
	name     string
	old, new string
	want     string // the rows side by side
}{
	{"one word", "The quick brown fox", "The slow brown fox", `changed 1 1 |The «quick» brown fox|The «slow» brown fox|`},
	{"prose", "Alice prefers tea in the morning, never coffee.", "Alice prefers strong coffee in the evening, never tea.", `changed 1 1 |Alice prefers «tea» in the «morning», never «coffee».|Alice prefers «strong coffee» in the «evening», never «tea».|`},
	{"decimal", "The price is 3.14 dollars", "The price is 3.15 dollars", `changed 1 1 |The price is 3.«14» dollars|The price is 3.«15» dollars|`},
	{"inserted word", "the cat sat", "the big cat sat", `changed 1 1 |the cat sat|the «big »cat sat|`},
	{"two words with a space", "the old grey cat sat there", "the new black cat sat there", `changed 1 1 |the «old grey» cat sat there|the «new black» cat sat there|`},
	{"rewritten", "Meeting on Monday about the budget", "Deploy scripts live in /srv", `changed 1 1 |«Meeting on Monday about the budget»|«Deploy scripts live in /srv»|`},
	{"extended", "x := open(name)", "x := open(name) // the caller closes it, or nobody does at all", `changed 1 1 |x := open(name)|x := open(name)« // the caller closes it, or nobody does at all»|`},
	{"same words in another order", "alpha beta gamma delta epsilon", "epsilon delta gamma beta alpha", `changed 1 1 |«alpha beta gamma delta epsilon»|«epsilon delta gamma beta alpha»|`},
	{"brackets around words", "call f(x, y) now", "call f((x), (y)) now", `changed 1 1 |call f(x, y) now|call f(«(»x«)», «(»y«)») now|`},
	{"go call", "\tif err := s.write(ctx, path, text); err != nil {", "\tif err := s.save(ctx, agent, path, text); err != nil {", `changed 1 1 |	if err := s.«write»(ctx, path, text); err != nil {|	if err := s.«save»(ctx«, agent», path, text); err != nil {|`},
	{"go indent", "\treturn nil", "\t\treturn nil", `changed 1 1 |	return nil|	«	»return nil|`},
	{"json", `  "name": "alice", "age": 31,`, `  "name": "bob", "age": 32,`, `changed 1 1 |  "name": "«alice»", "age": «31»,|  "name": "«bob»", "age": «32»,|`},
	{"chinese", "用户喜欢在早上喝茶。", "用户喜欢在晚上喝咖啡。", `changed 1 1 |用户喜欢在«早»上喝«茶»。|用户喜欢在«晚»上喝«咖啡»。|`},
	{"thai", "ฉันชอบกินข้าว", "ฉันชอบกินน้ำ", `changed 1 1 |ฉันชอบกิน«ข้าว»|ฉันชอบกิน«น้ำ»|`},
	{"emoji", "Done 👍🏽 by 👩‍💻 in 🇩🇪", "Done 👍 by 👨‍💻 in 🇫🇷", `changed 1 1 |Done «👍🏽» by «👩‍💻» in «🇩🇪»|Done «👍» by «👨‍💻» in «🇫🇷»|`},
	{"combining", "cafe\u0301s noir please", "cafe\u0301x noir please", "changed 1 1 |«cafe\u0301s» noir please|«cafe\u0301x» noir please|"},
	{"combining mark", "cafe\u0301 noir please", "cafe noir please", "changed 1 1 |«cafe\u0301» noir please|«cafe» noir please|"},
	{"carriage return", "same\r\nb", "same\nb", `changed 1 1 |same|same| CRLF, LF` + "\n" +
		`equal 2 2 |b|b|`},
	{"last newline", "a", "a\n", `changed 1 1 |a|a| no newline at the end, LF`},
	{"similar lines apart", "alpha beta gamma\nold one here\n", "something quite else\nmore of it\nalpha beta delta\n", `changed 1 1 |«alpha beta gamma»|«something quite else»|` + "\n" +
		`changed 2 2 |«old one here»|«more of it»|` + "\n" +
		`added 0 3 ||«alpha beta delta»|`},
}

func TestMarks(t *testing.T) {
	for _, c := range markTests {
		got := show(Compare([]byte(c.old), []byte(c.new)).View(Options{SideBySide: true, Context: 3}))
		if got != c.want+"\n" {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

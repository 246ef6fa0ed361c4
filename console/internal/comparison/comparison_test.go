package comparison_test

import (
	"net/url"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/comparison"
)

// An address that was read is written the same.
func TestParse(t *testing.T) {
	for query, want := range map[string]string{
		"diff=1..2": "?diff=1..2", "diff=3..current&as=split&context=all": "?diff=3..current&as=split&context=all",
		"diff=1..2&context=3&from=1": "?diff=1..2", "diff=1..2&context=0&open=5,9&from=7": "?diff=1..2&context=0&open=5,9&from=7",
		"view=compare&a=4&b=2": "?diff=4..2",
		"":                     "", "diff=1": "", "diff=0..1": "", "diff=01..2": "", "diff=a..b": "", "diff=1..2&as=x": "", "diff=1..2&context=10000": "",
		"diff=1..2&context=-1": "", "diff=1..2&open=x": "", "diff=1..2&from=-1": "", "diff=1..2&open=2000000000": "",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := comparison.Parse(q); ok != (want != "") || ok && c.String() != want {
			t.Errorf("%s: %v, %q, want %q", query, ok, c, want)
		}
	}
}

// A link to a gap opens it beside the others, until there are too many.
func TestOpened(t *testing.T) {
	c := comparison.Query{A: "1", B: "2", Context: comparison.UsualContext}
	if got, want := c.Opened(40, 6), "?diff=1..2&open=40&from=7#A40"; got != want || c.Open != nil {
		t.Errorf("%s, want %s", got, want)
	}
	c.Open = make([]int, 50)
	if got, want := c.Opened(40, 6), "?diff=1..2&context=all#A40"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

package search

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawWords draws words that meet in many ways, with anything between them.
func drawWords(t *rapid.T, label string, most int) string {
	words := rapid.SampledFrom(strings.Fields(`refund Refund REFUND reFund xrefund refundX refunds re ref r e a node2 2node a1b2
		parseConfig ParseConfig parse_config XMLHttpRequest budget é réfund Straße strasse ﬁle file İstanbul K k ſ 記憶 記憶力 記 한국어 ภาษาไทย
		# ## --- === * > don't foo-bar.go “refund” — aBcDeFgHiJkLmNoPqRsTuVwXyZ \x01 \x10efund \u200b \u0301`))
	between := rapid.SampledFrom([]string{" ", " ", " ", "\n", "\n\n", "", "-", "_", "\r\n", "\u3000"})
	var b strings.Builder
	for range rapid.IntRange(0, most).Draw(t, label) {
		b.WriteString(words.Draw(t, label) + between.Draw(t, label))
	}
	return strings.TrimRight(b.String(), rapid.SampledFrom([]string{"", " \n"}).Draw(t, "end"))
}

func drawQuery(t *rapid.T) *Query {
	query := drawWords(t, "query", 4)
	if rapid.Bool().Draw(t, "phrase") {
		query += ` "` + drawWords(t, "phrase", 2) + `"`
	}
	q, cause := Parse(query)
	if cause != "" {
		t.Skip(cause)
	}
	return q
}

// To look for the words of the query first finds what it finds to look at all words.
func TestMayMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScanner(drawQuery(t))
		for range 3 {
			text := []byte(drawWords(t, "text", 40))
			s.reset()
			s.findWords(text)
			if may, _ := s.q.mayMatch(text, nil); !may && len(s.hits) > 0 {
				t.Fatalf("%q: it may not match, and has %v", text, s.hits)
			}
		}
	})
}

// A search has the same result whether it keeps the texts that match, some of them or none.
func TestKeptTextsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		var texts []Text
		for i := range rapid.IntRange(1, 8).Draw(t, "texts") {
			text := Text{Path: fmt.Sprintf("%d/refund%s", i, rapid.SampledFrom([]string{"", ".md"}).Draw(t, "kind")), Time: time.Unix(int64(i%2), 0)}
			text.Content = []byte(drawWords(t, "content", 60))
			texts = append(texts, text)
		}
		most, limit := rapid.IntRange(1, 8).Draw(t, "texts of a page"), rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "limit")
		pages := func(_ context.Context, at int) ([]Text, int, error) {
			end := min(at+most, len(texts))
			return slices.Clone(texts[at:end]), end % len(texts), nil
		}
		want, err := rank(t.Context(), q, limit, pages, keepBytes)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []int{0, 1000} {
			got, err := rank(t.Context(), q, limit, pages, keep)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("with %d bytes kept: %v\n got %+v\nwant %+v", keep, err, got, want)
			}
		}
	})
}

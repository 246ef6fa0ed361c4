package search_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

// A question has the numbers of the facts that answer it.
type question struct {
	category, query string
	evidence        []int
}

// generated returns facts about so many made-up people in three scripts, and questions about them.
// Each person has several facts, and each thing has several people.
func generated(people int) (facts []search.Text, questions []question) {
	r := rand.New(rand.NewPCG(28, 1))
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	name := func(syllables string) string {
		parts := strings.Fields(syllables)
		return pick(parts) + pick(parts) + pick(parts)
	}
	ask := func(category string, evidence []int, query string, args ...any) {
		questions = append(questions, question{category, fmt.Sprintf(query, args...), evidence})
	}
	add := func(day time.Time, text string, args ...any) int {
		n := len(facts) + 1
		facts = append(facts, search.Text{Path: fmt.Sprintf("log-%d", n%7), Entry: int64(n), Time: day, Content: fmt.Appendf(nil, text, args...)})
		return n
	}
	things := [][2]string{{"retailers", "retailer"}, {"policy", "policies"}, {"boxes", "box"}, {"shop", "shops"}, {"batteries", "battery"}, {"branch", "branches"},
		{"factories", "factory"}, {"bus", "buses"}, {"copies", "copy"}, {"watches", "watch"}, {"delivery", "deliveries"}, {"glass", "glasses"}}
	acts := [][2]string{{"discounted", "discounting"}, {"pricing", "priced"}, {"shipped", "ship"}, {"planning", "plan"}, {"stored", "storing"}, {"moving", "moved"}, {"checked", "checks"}, {"carries", "carried"}}
	forms := []string{"2006-01-02", "2 January 2006", "January 2, 2006", "2 Jan 2006"}
	for range people {
		who := name("Kar Vel Dom Iso Tam Rin Fen Lu Mar")
		months := map[string][]int{}
		for i := range 8 {
			thing, act := things[r.IntN(len(things))], acts[i]
			day := time.Date(2021+r.IntN(3), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
			n := add(day, "%s was %s the %s in the north on %s, as far as the notes say", who, act[0], thing[0], day.Format(pick(forms)))
			month := day.Format("January 2006")
			months[month] = append(months[month], n)
			ask("words as they stand", []int{n}, "%s %s %s", who, act[0], thing[0])
			ask("word forms", []int{n}, "%s %s %s", who, act[1], thing[1])
			ask("dates", []int{n}, "what did %s do on %s", who, day.Format(pick(forms)))
		}
		for _, month := range slices.Sorted(maps.Keys(months)) {
			ask("months", months[month], "%s in %s", who, month)
		}
		last, first := questions[len(questions)-1], facts[len(facts)-8]
		other := add(first.Time, "the brother of %s, %s, keeps bees", who, name("Zo Bek Ul Qua Wis"))
		ask("two facts", []int{last.evidence[0], other}, "%s brother bees %s", who, facts[last.evidence[0]-1].Content[len(who)+5:len(who)+25])

		who = name("Бор Ла Мир Тан Ок Зем")
		n := add(first.Time, "%s купил %s на рынке %s", who, pick(strings.Fields("яблоки молоко хлеб рыбу")), first.Time.Format("2006-01-02"))
		add(first.Time, "%s продал старую лодку", who)
		ask("Cyrillic", []int{n}, "%s рынок рынке купил %s", who, first.Time.Format("2 January 2006"))
		who = name("王 李 明 华 小 丽 强 伟 芳")
		n = add(first.Time, "%s在%s买了%s。", who, first.Time.Format("2006年1月2日"), pick(strings.Fields("苹果 牛奶 面包 鲜鱼")))
		add(first.Time, "%s去了北方的城市。", who)
		ask("Chinese", []int{n}, "%s 买了 %s", who, first.Time.Format("2006-01-02"))
	}
	return facts, questions
}

// What a question asks for is found. docs/benchmarks.md has the figures.
func TestRecall(t *testing.T) {
	people := 60
	if testing.Short() {
		people = 12
	}
	facts, questions := generated(people)
	type sums struct{ n, first, any, all, mrr float64 }
	of := map[string]*sums{}
	for _, q := range questions {
		parsed, cause := search.Parse(q.query)
		if cause != "" {
			t.Fatal(cause)
		}
		r, err := search.Rank(t.Context(), parsed, search.Window{Limit: 10}, pagesOf(facts, 100))
		testkit.Must(t, err)
		if of[q.category] == nil {
			of[q.category] = new(sums)
		}
		s, found := of[q.category], 0.0
		s.n++
		for rank, h := range r.Hits {
			if !slices.Contains(q.evidence, int(h.Entry)) {
				continue
			}
			if found == 0 {
				s.mrr += 1 / float64(rank+1)
				s.first += float64(1 / (rank + 1))
			}
			if rank < 5 {
				found++
			}
		}
		s.any += min(1, found)
		if found == float64(min(5, len(q.evidence))) {
			s.all++
		}
	}
	for _, c := range []struct {
		category string
		least    float64 // mean reciprocal rank
	}{{"words as they stand", 0.97}, {"word forms", 0.95}, {"dates", 0.95}, {"months", 0.95}, {"two facts", 0.95}, {"Cyrillic", 0.97}, {"Chinese", 0.97}} {
		s := of[c.category]
		if s.mrr/s.n < c.least {
			t.Errorf("%s: the mean reciprocal rank is %.3f, want %.2f", c.category, s.mrr/s.n, c.least)
		}
		t.Logf("| %s | %.0f | %.3f | %.3f | %.3f | %.3f |", c.category, s.n, s.first/s.n, s.any/s.n, s.all/s.n, s.mrr/s.n)
	}
}

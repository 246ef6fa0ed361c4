package conversation_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// generated calls use with random conversations of each provider. They are the same in
// every run.
func generated(t *testing.T, count int, o providertest.GenerateOptions, use func(t *testing.T, r *rand.Rand, p Provider, msgs []Message)) {
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			for seed := range count {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				use(t, r, p, providertest.Conversation(r, p, o))
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

// Check finds nothing in conversations that the provider accepts.
func TestCheckGenerated(t *testing.T) {
	testkit.SkipInShort(t)
	generated(t, testkit.Pick(100, 3000, 5000), providertest.GenerateOptions{}, func(t *testing.T, _ *rand.Rand, p Provider, msgs []Message) {
		for _, problem := range Check(msgs, p) {
			t.Errorf("message %d of %d: %s: %s\n%s", problem.Index, len(msgs), problem.Rule, problem.Text, around(msgs, problem.Index))
		}
	})
}

// Check finds what was spoilt, but not what only another provider would refuse.
func TestCheckMutated(t *testing.T) {
	testkit.SkipInShort(t)
	for _, mutation := range providertest.Mutations() {
		t.Run(mutation.Name, func(t *testing.T) {
			for _, p := range providers {
				spoilt := 0
				for seed := 0; spoilt < testkit.Pick(5, 60, 300); seed++ {
					if seed == 300 && spoilt == 0 {
						if mutation.Rules[p] != nil {
							t.Errorf("%s: nothing to spoil in %d conversations", p, seed)
						}
						break
					}
					r := rand.New(rand.NewPCG(uint64(seed), 3))
					msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: 1 + seed%30})
					if msgs = mutation.Apply(r, p, msgs); msgs == nil {
						continue
					}
					spoilt++
					checkMutated(t, mutation, p, msgs)
				}
			}
		})
	}
}

func checkMutated(t *testing.T, mutation providertest.Mutation, p Provider, msgs []Message) {
	t.Helper()
	var found []string
	problems := Check(msgs, p)
	for _, problem := range problems {
		found = append(found, problem.Rule)
	}
	want, spoils := mutation.Rules[p]
	switch {
	case !spoils && len(found) > 0:
		t.Fatalf("%s: %s (message %d), want nothing\n%s", p, found, problems[0].Index, around(msgs, problems[0].Index))
	case spoils && !slices.ContainsFunc(found, func(rule string) bool { return slices.Contains(want, rule) }):
		t.Fatalf("%s: found %s, want one of %s\n%s", p, found, want, around(msgs, len(msgs)-4))
	}
}

// around prints the messages near an index.
func around(msgs []Message, index int) string {
	var b strings.Builder
	for i := max(0, index-3); i < min(len(msgs), index+4); i++ {
		text, err := msgs[i].MarshalJSON()
		if err != nil {
			text = []byte(err.Error())
		}
		b.Write(append([]byte{' '}, append(text[:min(len(text), 600)], '\n')...))
	}
	return b.String()
}

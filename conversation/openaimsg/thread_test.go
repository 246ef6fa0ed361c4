package openaimsg_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

// Long threads with summaries, stored and read back, that change between the
// APIs: the provider refuses none of their requests.
func TestLongThreadsAreNeverRefused(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			var mu sync.Mutex // guards random and summaries
			summaries := 0
			srv := providertest.OpenAIFunc(func(body []byte) providertest.Reply {
				mu.Lock()
				defer mu.Unlock()
				if strings.Contains(string(body), "The marks are -----") {
					summaries++
					return providertest.Reply{Text: "They talk."}
				}
				reply := providertest.Reply{Text: "Well."}
				for range random.IntN(3) {
					reply.Calls = append(reply.Calls, providertest.Call{Name: "list"})
				}
				if random.IntN(2) == 0 {
					reply.Thinking = "Hm."
				}
				return reply
			})
			defer srv.Close()
			client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
			var kept []byte
			for range 3 {
				memory, err := conversation.New(conversation.Options{
					SummarizeAt: 8, KeepLast: 3,
					Summarize: openaimsg.Summarizer(client, "gpt-5-mini"),
					OnError:   func(err error) { t.Errorf("summary: %v", err) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if kept != nil {
					if err := memory.Import(kept); err != nil {
						t.Fatal(err)
					}
				}
				talk(t, client, memory, random, &mu)
				if kept, err = memory.Export(); err != nil {
					t.Fatal(err)
				}
			}
			if summaries < 3 {
				t.Errorf("there were %d summaries", summaries)
			}
		})
	}
}

func talk(t *testing.T, client openai.Client, memory *conversation.Memory, random *rand.Rand, mu *sync.Mutex) {
	for i := range 8 {
		mu.Lock()
		ask := ask
		if random.IntN(3) > 0 {
			ask = respond
		}
		mu.Unlock()
		if _, err := ask(t.Context(), client, memory, fmt.Sprint("question ", i)); err != nil {
			t.Fatal(err)
		}
	}
}

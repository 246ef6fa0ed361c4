package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

// Whatever a memory and Trim return of a valid conversation is valid, with whole
// units, the newest message of the user and the leading instructions; and the
// originals are complete and in order.
func TestWindowsAreValid(t *testing.T) {
	cases := 2_000
	switch {
	case long():
		cases = 100_000
	case testing.Short():
		cases = 300
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < cases && !t.Failed(); i += workers {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				if err := validCase(r); err != nil {
					t.Errorf("case %d of seed %d: %v", i, seed, err)
				}
			}
		})
	}
	wg.Wait()
}

// A bareJournal keeps messages as they are.
type bareJournal struct{ records []Record }

func (j *bareJournal) Append(_ context.Context, records ...Record) error {
	for i := range records {
		records[i].Seq = int64(len(j.records) + 1)
		j.records = append(j.records, records[i])
	}
	return nil
}

func (j *bareJournal) Records(context.Context, int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range j.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func randomOptions(r *rand.Rand) Options {
	o := Options{Journal: &bareJournal{}, OnError: func(error) {}, Evidence: EvidenceOptions{MaxTokens: r.IntN(3)*100 - 100}}
	if r.IntN(3) > 0 {
		o.SummarizeAt = 2 + r.IntN(30)
		o.KeepLast = r.IntN(o.SummarizeAt)
	}
	if o.SummarizeAt == 0 || r.IntN(3) == 0 {
		o.SummarizeAtTokens = 20 + r.IntN(2000)
		o.KeepTokens = r.IntN(o.SummarizeAtTokens)
	}
	o.Summarize = func(context.Context, Request) (string, error) {
		switch r.IntN(12) {
		case 0:
			return "", errors.New("overloaded")
		case 1:
			return strings.Repeat("word ", r.IntN(2000)), nil
		}
		return "They talked.", nil
	}
	return o
}

func validCase(r *rand.Rand) error {
	p := providers[r.IntN(len(providers))]
	length := 1 + r.IntN(16)
	if r.IntN(200) == 0 {
		length = 50 + r.IntN(350) // with long loops of tools
	}
	msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: length, Open: r.IntN(5) == 0})
	o := randomOptions(r)
	m, err := New(o)
	if err != nil {
		return err
	}
	for i := 0; i < len(msgs); {
		n := min(1+r.IntN(4), len(msgs)-i)
		if r.IntN(10) == 0 {
			n = len(msgs) - i
		}
		if err := m.Append(context.Background(), msgs[i:i+n]...); err != nil {
			return err
		}
		i += n
		if i == len(msgs) || r.IntN(20) == 0 {
			if err := sound(msgs[:i], m.Messages()); err != nil {
				return fmt.Errorf("%s, after %d of %d messages, %+v: %w", p, i, len(msgs), o, err)
			}
		}
	}
	i := 0
	for msg, err := range m.Originals(context.Background()) {
		if err != nil || i == len(msgs) || key(msg) != key(msgs[i]) {
			return fmt.Errorf("original %d: %v", i, err)
		}
		i++
	}
	if i != len(msgs) {
		return fmt.Errorf("%d originals of %d", i, len(msgs))
	}
	trim := TrimOptions{KeepLast: r.IntN(20), KeepTokens: r.IntN(2) * r.IntN(1000)}
	trimmed := Trim(msgs, trim)
	if err := sound(msgs, trimmed); err != nil {
		return fmt.Errorf("%s, %+v: %w", p, trim, err)
	}
	if r.IntN(50) > 0 || len(Check(msgs, p)) > 0 {
		return nil
	}
	return errors.Join(accepted(p, msgs), accepted(p, m.Messages()), accepted(p, trimmed))
}

// key tells messages apart.
func key(m Message) string {
	return fmt.Sprintf("%s\x00%s\x00%v\x00%v\x00%s\x00%s", m.Role, m.Content, m.Parts, m.ToolCalls, m.ToolCallID, m.Raw)
}

// sound looks at a window of a conversation.
func sound(all, window []Message) error {
	for _, p := range providers {
		if len(Check(all, p)) > 0 {
			continue
		}
		if problems := Check(window, p); len(problems) > 0 {
			return fmt.Errorf("%s refuses %q: %+v\nof %q", p, texts(window), problems, texts(all))
		}
	}
	// The window is some of the conversation, in its order, and a summary.
	kept := slices.DeleteFunc(slices.Clone(window), func(m Message) bool {
		return m.Role == System && strings.HasPrefix(m.Content, SummaryPrefix)
	})
	// Messages that are alike are matched from the end, where the window is whole.
	at := len(all) - 1
	there := map[int]bool{}
	for _, m := range slices.Backward(kept) {
		for at >= 0 && key(all[at]) != key(m) {
			at--
		}
		if at < 0 {
			return fmt.Errorf("%q is not in the order of %q", texts(window), texts(all))
		}
		there[at] = true
		at--
	}
	for i := range all {
		if all[i].Role != System {
			break
		}
		if !there[i] {
			return fmt.Errorf("instruction %d is gone from %q", i, texts(window))
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Role == User {
			if !there[i] {
				return fmt.Errorf("the newest message of the user is gone from %q", texts(window))
			}
			break
		}
	}
	// Calls and results are together, in the fields and wherever an id stands.
	calls := map[string]int{}
	for i, m := range all {
		for _, c := range m.ToolCalls {
			calls[c.ID] = i
		}
		if c, ok := calls[m.ToolCallID]; m.Role == Tool && ok && there[c] != there[i] {
			return fmt.Errorf("the call %s was cut from its result in %q", m.ToolCallID, texts(window))
		}
	}
	return nil
}

// accepted sends messages through the provider's adapter to what refuses as the
// provider does.
func accepted(p Provider, msgs []Message) error {
	var body map[string]any
	var validate func([]byte) error
	switch p {
	case Anthropic:
		system, messages, err := anthropicmsg.To(msgs)
		if err != nil {
			return err
		}
		body, validate = map[string]any{"model": "claude-haiku-4-5", "max_tokens": 100, "system": system, "messages": messages}, providertest.ValidateAnthropic
		if len(system) == 0 {
			delete(body, "system")
		}
	case OpenAIChat:
		messages, err := openaimsg.ToChat(msgs)
		if err != nil {
			return err
		}
		body, validate = map[string]any{"model": "gpt-5", "messages": messages}, providertest.ValidateOpenAIChat
	case OpenAIResponses:
		items, err := openaimsg.ToItems(msgs)
		if err != nil {
			return err
		}
		body, validate = map[string]any{"model": "gpt-5", "input": items}, providertest.ValidateOpenAIResponses
	default:
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if err := validate(text); err != nil {
		return fmt.Errorf("%s: %w\n%s", p, err, text)
	}
	return nil
}

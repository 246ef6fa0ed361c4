package conversation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// FuzzImport: a document is refused and changes nothing, or what it gives is
// exported and imported again as it is, appended to and trimmed.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"messages":[]}`,
		`{"version":1,"leading":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"u"}]}],"summary":"x","evidence":["a/b.go"]}`,
		`{"version":1,"messages":[{"role":"assistant","content":null,"toolCalls":[{"id":"1","name":"n","arguments":{"a": 1}},{"id":"2","name":"n","arguments":"{\"a"}]},{"role":"tool","toolCallId":"1","content":"","isError":true}]}`,
		`{"version":1,"messages":[{"role":"assistant","content":"","raw":"[{\"type\":\"reasoning\"}]","rawProvider":"openai-responses"}]}`,
		`{"version":2}`, `{`, `null`, `{"version":1,"messages":[],"summary":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		m := newMemory(t, Options{SummarizeAt: 1 << 30, Summarize: brief})
		add(t, m, UserText("before"))
		err := m.Import(document)
		if err != nil {
			var v *VersionError
			if !errors.Is(err, ErrInvalid) && !errors.As(err, &v) {
				t.Fatalf("an error of no kind: %v", err)
			}
			if got := texts(m.Messages()); got != "before" {
				t.Fatalf("it was refused, and changed the window to %q", got)
			}
			return
		}
		first, err := m.Export()
		if err != nil {
			t.Fatal(err)
		}
		again := newMemory(t, Options{SummarizeAt: 1 << 30, Summarize: brief})
		if err := again.Import(first); err != nil {
			t.Fatalf("what was exported is refused: %v\n%s", err, first)
		}
		if diff := cmp.Diff(m.Messages(), again.Messages()); diff != "" {
			t.Fatalf("imported (-), exported and imported (+):\n%s", diff)
		}
		add(t, again, UserText("behind"))
		msgs := again.Messages()
		SafeCuts(msgs)
		if trimmed := Trim(msgs, TrimOptions{KeepLast: 1}); trimmed[len(trimmed)-1].Content != "behind" {
			t.Fatalf("the newest message is gone: %q", texts(trimmed))
		}
	})
}

func brief(context.Context, Request) (string, error) { return "They talked.", nil }

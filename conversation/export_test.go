package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestExportImport(t *testing.T) {
	r := &recorder{}
	o := Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize}
	m := newMemory(t, o)
	add(t, m, SystemText("sys"))
	for i := range 9 {
		add(t, m, UserText(fmt.Sprintf("run `go test ./p%d`", i)), Message{Role: Assistant, Content: "<ok> & done", Raw: []byte("{ \"a\":  1 }"), RawProvider: Anthropic})
		document, err := m.Export()
		testkit.Must(t, err)
		again := newMemory(t, o)
		add(t, again, users("x y z")...)
		testkit.Must(t, again.Import(document))
		if diff := cmp.Diff(m.Messages(), again.Messages()); diff != "" {
			t.Fatalf("exported (-), imported (+):\n%s", diff)
		}
		if diff := cmp.Diff(m.Evidence(), again.Evidence()); diff != "" {
			t.Fatalf("evidence: %s", diff)
		}
		second, err := again.Export()
		if err != nil || string(second) != string(document) {
			t.Fatalf("exported again: %v\n%s\n%s", err, document, second)
		}
		// A system message that is appended now is not a leading one.
		add(t, again, SystemText("late"))
		if msgs := again.Messages(); msgs[1].Content == "late" {
			t.Fatalf("a late system message is a leading one: %q", texts(msgs))
		}
		testkit.Must(t, again.Import(document))
		s1, ok1 := m.Summary()
		s2, ok2 := again.Summary()
		if s1 != s2 || ok1 != ok2 {
			t.Fatalf("summary %q %v, %q %v", s1, ok1, s2, ok2)
		}
	}
}

func TestImportRefuses(t *testing.T) {
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize})
	add(t, m, users("a b")...)
	for name, document := range map[string]string{
		"no JSON":                "hello",
		"no version":             `{"messages":[]}`,
		"a broken message":       `{"version":1,"messages":[{"role":"robot","content":""}]}`,
		"a message that is none": `{"version":1,"messages":[1]}`,
		"bytes":                  "{\"version\":1,\"messages\":[],\"summary\":\"\xff\"}",
		"half a character":       `{"version":1,"messages":[],"summary":"\ud800"}`,
		"evidence of two lines":  `{"version":1,"messages":[],"summary":"s","evidence":["a\nb"]}`,
		"evidence alone":         `{"version":1,"messages":[],"evidence":["a"]}`,
		"more leading":           `{"version":1,"leading":1,"messages":[{"role":"user","content":"a"}]}`,
		"more behind it":         `{"version":1,"messages":[]} {}`,
	} {
		if err := m.Import([]byte(document)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, document := range []string{`{"version":2,"messages":{"shape":"new"}}`, `{"version":0,"messages":[]}`} {
		var v *VersionError
		if err := m.Import([]byte(document)); !errors.As(err, &v) || v.Supported != 1 || v.Version == 1 {
			t.Errorf("%s: %v", document, err)
		}
	}
	if got := texts(m.Messages()); got != "a b" {
		t.Errorf("the window is %q", got)
	}
}

// Imported messages are not in the journal, and neither is their summary.
func TestSummaryOfImportedMessages(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	o := Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize, Journal: j}
	m := newMemory(t, o)
	add(t, m, users("a b")...)
	testkit.Must(t, m.Import([]byte(`{"version":1,"messages":[{"role":"user","content":"i0"},{"role":"user","content":"i1"},{"role":"user","content":"i2"},{"role":"user","content":"i3"},{"role":"user","content":"i4"}]}`)))
	add(t, m, UserText("c"))
	if got := texts(m.Messages()); got != "S i4 c" {
		t.Errorf("the window is %q", got)
	}
	again, err := Open(t.Context(), o)
	testkit.Must(t, err)
	if got := texts(again.Messages()); got != "a b c" {
		t.Errorf("opened again the window is %q", got)
	}
	// A summary of messages that are in the journal is recorded again.
	add(t, m, users("d e f g")...)
	if again, err = Open(t.Context(), o); err != nil || texts(again.Messages()) != texts(m.Messages()) {
		t.Errorf("opened again the window is %q, %v, it was %q", texts(again.Messages()), err, texts(m.Messages()))
	}
}

// Import refuses a document and changes nothing, or the memory can be exported,
// imported again unchanged, appended to, checked and trimmed.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"messages":[]}`,
		`{"version":1,"leading":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"u"}]}],"summary":"x","evidence":["a/b.go"]}`,
		`{"version":1,"messages":[{"role":"assistant","content":null,"toolCalls":[{"id":"1","name":"n","arguments":{"a": 1}},{"id":"2","name":"n","arguments":"{\"a"}]},{"role":"tool","toolCallId":"1","content":"","isError":true}]}`,
		`{"version":1,"messages":[{"role":"assistant","content":"","raw":"[{\"type\":\"reasoning\"}]","rawProvider":"openai-responses"}]}`,
		`{"version":1,"messages":[{"role":"user","content":"","raw":"{\"role\":\"user\",\"content\":[null,1,[],{}]}","rawProvider":"anthropic"}]}`,
		`{"version":1,"messages":[{"role":"assistant","content":"","raw":"[null,{\"type\":\"function_call\",\"arguments\":{}}]","rawProvider":"openai-responses"}]}`,
		`{"version":1,"messages":[{"role":"assistant","content":"","raw":"{\"parts\":[null,{\"functionCall\":null},{\"functionResponse\":{\"id\":7}}]}","rawProvider":"gemini"}]}`,
		`{"version":1,"messages":[{"role":"tool","toolCallId":"a","content":"x"},{"role":"assistant","content":"","toolCalls":[{"id":"b","name":"n"}]},{"role":"user","content":"x"}]}`,
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
		testkit.Must(t, err)
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
		for _, p := range all {
			byIndex := func(a, b Problem) int { return a.Index - b.Index }
			if problems := Check(msgs, p); !slices.IsSortedFunc(problems, byIndex) || !slices.Equal(problems, Check(msgs, p)) {
				t.Fatalf("%s: %v", p, problems)
			}
		}
		if trimmed := Trim(msgs, TrimOptions{KeepLast: 1}); trimmed[len(trimmed)-1].Content != "behind" {
			t.Fatalf("the newest message is gone: %q", texts(trimmed))
		}
	})
}

func brief(context.Context, Request) (string, error) { return "They talked.", nil }

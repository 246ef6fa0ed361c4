package openaimsg_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The SDK says which members only answers have. If a new version adds one, this test
// fails until outputOnly has it.
func TestMembersOfAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := providertest.OutputOnly(reflect.TypeFor[responses.ResponseOutputItemUnion](), reflect.TypeFor[responses.ResponseInputItemUnionParam]())
	if !slices.Contains(paths, "shell_call_output.output.created_by") {
		t.Errorf("the paths are %q, want the maker of an output among them", paths)
	}
	for _, path := range paths {
		raw := providertest.Example(path)
		m, err := openaimsg.FromOutput(output(t, raw, `{"type":"message","role":"assistant","content":"end"}`)...)
		testkit.Must(t, err)
		if !strings.Contains(string(m.Raw), raw) {
			t.Errorf("%s: Raw is %s, want it as the provider sent it", path, m.Raw)
		}
		got := toItems(t, m)[0]
		if !strings.Contains(path, ".") || strings.HasSuffix(path, "]") || strings.Contains(got, "output only") || !json.Valid([]byte(got)) {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
	}
}

func TestMembersOfChatAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := providertest.OutputOnly(reflect.TypeFor[openai.ChatCompletionMessage](), reflect.TypeFor[openai.ChatCompletionAssistantMessageParam]())
	if !slices.Contains(paths, "annotations") {
		t.Errorf("the paths are %q, want annotations among them", paths)
	}
	for _, path := range paths {
		outer, inner, nested := strings.Cut(path, ".")
		raw := `{"role":"assistant","content":"x","` + outer + `":"output only"}`
		if nested {
			raw = `{"role":"assistant","content":"x","` + outer + `":{"id":"i","` + inner + `":"output only"}}`
		}
		m := fromChat(t, raw)[0]
		if got := toChat(t, m)[0]; string(m.Raw) != raw || strings.Contains(got, "output only") || !json.Valid([]byte(got)) {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
	}
}

// The table of items has every kind that the SDK knows, of requests and of answers. If a
// new version adds one, look at what it needs, and add it to the table.
func TestTableHasEveryKindOfTheSDK(t *testing.T) {
	t.Parallel()
	var have []string
	for _, k := range itemKinds {
		var item struct{ Type string }
		testkit.Must(t, json.Unmarshal([]byte(k.raw), &item))
		have = append(have, item.Type)
	}
	for _, union := range []reflect.Type{reflect.TypeFor[responses.ResponseOutputItemUnion](), reflect.TypeFor[responses.ResponseInputItemUnionParam]()} {
		for _, kind := range providertest.Variants(union) {
			if kind = strings.TrimPrefix(kind, "input_"); !slices.Contains(have, kind) {
				t.Errorf("%s has the kind %s, and the table has not", union.Name(), kind)
			}
		}
	}
}

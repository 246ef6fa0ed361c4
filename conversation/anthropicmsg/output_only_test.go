package anthropicmsg_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The SDK says which members only answers have. If a new version adds one, this test
// fails until outputOnly has it.
func TestMembersOfAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := append(
		providertest.OutputOnly(reflect.TypeFor[anthropic.ContentBlockUnion](), reflect.TypeFor[anthropic.ContentBlockParamUnion]()),
		providertest.OutputOnly(reflect.TypeFor[anthropic.BetaContentBlockUnion](), reflect.TypeFor[anthropic.BetaContentBlockParamUnion]())...)
	if !slices.Contains(paths, "text.citations[char_location].file_id") {
		t.Errorf("the paths are %q, want the file of a citation among them", paths)
	}
	for _, path := range paths {
		block := strings.Replace(providertest.Example(path), `{"type":"text",`, `{"type":"text","text":"x",`, 1)
		answer := response(t, `[`+block+`,{"type":"text","text":"end"}]`)
		m, err := anthropicmsg.FromResponse(&answer)
		testkit.Must(t, err)
		if !strings.Contains(string(m.Raw), block) {
			t.Errorf("%s: Raw is %s, want it as the provider sent it", path, m.Raw)
		}
		got := sent(t, to(t, m))
		if !strings.Contains(path, ".") || strings.HasSuffix(path, "]") || strings.Contains(got, "output only") {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: sent %s", path, got)
		}
	}
}

// The table of blocks has every kind that the SDK knows, of requests and of answers. If a
// new version adds one, look at what it needs, and add it to the table.
func TestTableHasEveryKindOfTheSDK(t *testing.T) {
	t.Parallel()
	var have []string
	for _, c := range blockTable {
		var b struct{ Type string }
		testkit.Must(t, json.Unmarshal([]byte(c.block), &b))
		have = append(have, b.Type)
	}
	for _, union := range []reflect.Type{
		reflect.TypeFor[anthropic.ContentBlockUnion](), reflect.TypeFor[anthropic.ContentBlockParamUnion](),
		reflect.TypeFor[anthropic.BetaContentBlockUnion](), reflect.TypeFor[anthropic.BetaContentBlockParamUnion](),
	} {
		for _, kind := range providertest.Variants(union) {
			if !slices.Contains(have, kind) {
				t.Errorf("%s has the kind %s, and the table has not", union.Name(), kind)
			}
		}
	}
}

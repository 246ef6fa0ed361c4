package summarize

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChoose(t *testing.T) {
	const a, o = "ANTHROPIC_API_KEY=" + secret, "OPENAI_API_KEY=" + secret + "x"
	local := ProviderOptions{BaseURL: "http://localhost:11434/v1", Model: "qwen3"}
	for _, c := range []struct {
		name    string
		env     []string
		options ProviderOptions
		want    string // the method and the model; "" for nil
		err     string
	}{
		{"auto", nil, ProviderOptions{}, "outline ", ""},
		{"auto", []string{a}, ProviderOptions{}, "anthropic claude-haiku-4-5", ""},
		{"auto", []string{o}, ProviderOptions{}, "openai gpt-4.1-mini", ""},
		{" Auto ", []string{o, a}, ProviderOptions{Model: "x"}, "anthropic x", ""},
		{"auto", []string{"ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY}"}, ProviderOptions{}, "outline ", ""},
		{"anthropic", []string{"ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY}"}, ProviderOptions{}, "", "ANTHROPIC_API_KEY is a reference that the client has not replaced: "},
		{"auto", []string{"ANTHROPIC_API_KEY=a b", o}, ProviderOptions{}, "", "the key in ANTHROPIC_API_KEY has"},
		{"auto", []string{o}, local, "", "choose one (--summarizer anthropic or openai)"},
		{"outline", []string{a, o}, ProviderOptions{MaxTokens: 300}, "outline ", ""},
		{"off", []string{a, o}, ProviderOptions{}, "", ""},
		{"anthropic", []string{o}, ProviderOptions{}, "", "set ANTHROPIC_API_KEY, or give the base URL of a local server"},
		{"openai", []string{a}, ProviderOptions{}, "", "set OPENAI_API_KEY, or give the base URL of a local server"},
		{"openai", nil, local, "openai qwen3 at localhost:11434", ""},
		{"openai", nil, ProviderOptions{Key: secret}, "openai gpt-4.1-mini", ""},
		{"gemini", []string{a, o}, ProviderOptions{}, "", `"gemini" is not one of auto`},
		{strings.Repeat("x\n", 500), nil, ProviderOptions{}, "", "is not one of auto"},
	} {
		env := map[string]string{}
		for _, e := range c.env {
			name, value, _ := strings.Cut(e, "=")
			env[name] = value
		}
		got, err := Choose(c.name, func(name string) string { return env[name] }, c.options)
		switch {
		case c.err != "":
			if got != nil || !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), c.err) || len(err.Error()) > 400 {
				t.Errorf("%q %+v: %+v, %v", c.name, c.options, got, err)
				continue
			}
			checkHidden(t, err.Error())
		case err != nil:
			t.Errorf("%q: %v", c.name, err)
		case c.want == "":
			if got != nil {
				t.Errorf("%q: %+v", c.name, got)
			}
		case got == nil || got.Method+" "+got.Model != c.want || got.Remote != (got.Method != "outline"):
			t.Errorf("%q: %+v, want %q", c.name, got, c.want)
		}
	}
}

package summarize

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Choose returns the summarizer with the given name:
//
//   - "off" is nil, which means no summaries.
//   - "outline" is [Outline]. Of the options, only MaxTokens is used.
//   - "anthropic" and "openai" are [Anthropic] and [OpenAI].
//   - "auto" and "" are the provider whose key is in the environment, Anthropic
//     first, or else [Outline]. The options must have no Key and no BaseURL, because
//     those belong to one provider.
//
// If o.Key is empty, the key is taken from the environment, which getenv reads:
// ANTHROPIC_API_KEY or OPENAI_API_KEY. A value that begins with "${" is not a key
// but a reference that the client has not replaced. Errors wrap
// [workspace.ErrInvalid].
func Choose(name string, getenv func(string) string, o ProviderOptions) (*workspace.Summarizer, error) {
	keyOf := func(a *api) string {
		key := strings.TrimSpace(getenv(a.variable))
		if unreplaced(key) {
			return ""
		}
		return key
	}
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "off":
		return nil, nil
	case "outline":
		s := Outline(OutlineOptions{MaxTokens: o.MaxTokens})
		return &s, nil
	case "", "auto":
		if o.BaseURL != "" || o.Key != "" {
			return nil, workspace.Errorf(workspace.ErrInvalid,
				"summaries: a base URL or a key belongs to one provider: choose one (--summarizer anthropic or openai)")
		}
		for _, a := range []*api{&anthropicAPI, &openaiAPI} {
			if keyOf(a) != "" {
				return chosen(a, keyOf(a), o)
			}
		}
		return Choose("outline", getenv, o)
	case anthropicAPI.method, openaiAPI.method:
		a := &anthropicAPI
		if name == openaiAPI.method {
			a = &openaiAPI
		}
		s, err := chosen(a, keyOf(a), o)
		if err != nil && unreplaced(strings.TrimSpace(getenv(a.variable))) {
			err = &workspace.Error{Op: a.variable + " is a reference that the client has not replaced",
				Kind: workspace.ErrInvalid, Err: err}
		}
		return s, err
	}
	return nil, workspace.Errorf(workspace.ErrInvalid,
		"summaries: %.40q is not one of auto, outline, anthropic, openai, off", name)
}

// unreplaced reports whether a key is a reference to a variable, such as
// "${OPENAI_API_KEY}", that the client should have replaced.
func unreplaced(key string) bool { return strings.HasPrefix(key, "${") }

func chosen(a *api, key string, o ProviderOptions) (*workspace.Summarizer, error) {
	if strings.TrimSpace(o.Key) == "" {
		o.Key = key
	}
	s, err := newProvider(a, o, hooks{})
	if err != nil {
		return nil, err
	}
	return &s, nil
}

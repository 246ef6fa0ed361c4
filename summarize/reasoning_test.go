package summarize

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// reasoner starts a fake model that reasons for so many tokens before it writes.
// limits returns the token limits of the requests so far.
func reasoner(t *testing.T, a *api, thought int, aloud string) (f *fake, limits func() []int) {
	var list []int
	f = newFake(t, nil)
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			MaxTokens int `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		list = append(list, q.MaxTokens)
		if q.MaxTokens <= thought {
			answering(good(a, aloud, "max_tokens", 1000, q.MaxTokens))(w, r)
			return
		}
		answering(good(a, "A plan.", "end_turn", 1000, thought+5))(w, r)
	})
	return f, func() []int { l := list; list = nil; return l }
}

// A model that uses all its tokens for reasoning is asked once more with more tokens.
// The next call has more tokens at once.
func TestModelThatReasons(t *testing.T) {
	for _, a := range apis {
		for _, aloud := range []string{"", " \n", "<think>so much", "\u200b"} {
			f, limits := reasoner(t, a, 1500, aloud)
			s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
			got, err := s.Summarize(t.Context(), request("text"))
			if l := limits(); err != nil || got.Text != "A plan." || got.Spent != 1600+2505 || !slices.Equal(l, []int{600, 2400}) {
				t.Errorf("%s: %+v, %v, asked with %v", a.method, got, err, l)
			}
			got, err = s.Summarize(t.Context(), request("text"))
			if l := limits(); err != nil || got.Text != "A plan." || got.Spent != 2505 || !slices.Equal(l, []int{2400}) {
				t.Errorf("%s again: %+v, %v, asked with %v", a.method, got, err, l)
			}
		}
	}
}

// A model that reasons even longer is an error, and later calls get no more tokens.
func TestModelThatReasonsTooMuch(t *testing.T) {
	for _, a := range apis {
		f, limits := reasoner(t, a, 5000, "")
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
		for range 2 {
			got, err := s.Summarize(t.Context(), request("text"))
			checkError(t, err)
			if l := limits(); got.Spent != 1600+3400 || !slices.Equal(l, []int{600, 2400}) || !strings.Contains(err.Error(), "used its 2400 tokens before it wrote a word; set --summary-model to one that reasons less") {
				t.Errorf("%s: %+v, %v, asked with %v", a.method, got, err, l)
			}
		}
	}
}

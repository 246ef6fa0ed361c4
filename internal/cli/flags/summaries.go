package flags

import (
	"fmt"
	"os"
	"strings"

	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Summaries are the flags of summaries. A key is not a flag, because other users could
// read it in the list of processes.
type Summaries struct {
	Summarizer            string `enum:"auto,outline,anthropic,openai,off" default:"auto"`
	SummaryModel          string `placeholder:"NAME" help:"The model. Default: claude-haiku-4-5 or gpt-4.1-mini."`
	SummaryBaseURL        string `name:"summary-base-url" placeholder:"URL"`
	SummaryTimeout        Wait   `default:"1m" placeholder:"TIME"`
	SummaryWindow         Number `placeholder:"N"`
	SummaryTokensPerMonth Number `placeholder:"N"`
	SummaryAllowPrivate   bool
}

// KeyVariables are the variables with the keys of providers, by the method of a
// summary.
var KeyVariables = map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}

// Choose returns what the flags and the keys in the environment choose, and why; nil
// for off. It opens no connection.
func (s Summaries) Choose() (chosen *workspace.Summarizer, why string, err error) {
	chosen, err = summarize.Choose(s.Summarizer, os.Getenv, summarize.ProviderOptions{
		BaseURL: s.SummaryBaseURL, Model: s.SummaryModel, Timeout: s.SummaryTimeout.Duration,
		Window: int(s.SummaryWindow), AllowPrivate: s.SummaryAllowPrivate,
	})
	if err != nil {
		return nil, "", err
	}
	return chosen, s.reason(chosen), nil
}

// reason says what makes summaries and why. It never shows a key.
func (s Summaries) reason(chosen *workspace.Summarizer) string {
	const named = ", as --summarizer says"
	switch {
	case chosen == nil:
		return "off" + named
	case !chosen.Remote && s.Summarizer != "auto":
		return chosen.Method + named
	case !chosen.Remote:
		for _, variable := range KeyVariables {
			if os.Getenv(variable) != "" && !haveKeyIn(variable) {
				return chosen.Method + ": " + variable +
					" has a reference that the client should have replaced by a key"
			}
		}
		return chosen.Method + ": no ANTHROPIC_API_KEY or OPENAI_API_KEY is set"
	}
	text := fmt.Sprintf("%s, model %s", chosen.Method, chosen.Model)
	if s.Summarizer == "auto" {
		text += ": " + KeyVariables[chosen.Method] + " is set"
	} else {
		text += named
	}
	if s.SummaryTokensPerMonth > 0 {
		return fmt.Sprintf("%s; at most %d tokens a month for each agent", text, s.SummaryTokensPerMonth)
	}
	return text + "; --summary-tokens-per-month can limit the cost"
}

// KeyVariable returns the variable with the key that the server will need; "" if it
// needs none or has none.
func (s Summaries) KeyVariable() (string, error) {
	chosen, _, err := s.Choose()
	if err != nil || chosen == nil {
		return "", err
	}
	if variable := KeyVariables[chosen.Method]; haveKeyIn(variable) {
		return variable, nil
	}
	return "", nil
}

// haveKeyIn reports whether a variable has a key. A reference that a client should have
// replaced is not a key.
func haveKeyIn(variable string) bool {
	key := strings.TrimSpace(os.Getenv(variable))
	return key != "" && !strings.HasPrefix(key, "${")
}

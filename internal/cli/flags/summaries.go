package flags

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Summaries are the flags of summaries. A key is not a flag, because other users could
// read it in the list of processes.
type Summaries struct {
	Summarizer            string        `enum:"auto,outline,anthropic,openai,off" default:"auto"`
	SummaryModel          string        `placeholder:"NAME" help:"The model. Default: claude-haiku-4-5 or gpt-4.1-mini."`
	SummaryBaseURL        string        `name:"summary-base-url" placeholder:"URL"`
	SummaryTimeout        time.Duration `default:"1m" placeholder:"TIME"`
	SummaryWindow         Number        `placeholder:"N"`
	SummaryTokensPerMonth Number        `placeholder:"N" of:"tokens for summaries in a month"`
	SummaryAllowPrivate   bool          ``
}

// Validate is kong's hook.
func (s Summaries) Validate() error {
	if s.SummaryTimeout <= 0 {
		return fmt.Errorf("--summary-timeout must be more than 0, such as 90s, not %v", s.SummaryTimeout)
	}
	return nil
}

// Args returns the flags that give another process the same summaries. It still
// needs the key.
func (s Summaries) Args() []string { return args("", s) }

// KeyVariables are the variables with the keys of providers, by the method of a
// summary.
var KeyVariables = map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}

// Choose returns what the flags and the keys in the environment choose, and why; nil
// for off. It opens no connection.
func (s Summaries) Choose() (chosen *workspace.Summarizer, why string, err error) {
	chosen, err = summarize.Choose(s.Summarizer, os.Getenv, summarize.ProviderOptions{
		BaseURL: s.SummaryBaseURL, Model: s.SummaryModel, Timeout: s.SummaryTimeout, Window: int(s.SummaryWindow),
		AllowPrivate: s.SummaryAllowPrivate,
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

// NoKey returns the error of --pass-key without a key.
func (s Summaries) NoKey() error {
	cause := "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set here; set one, or leave out --pass-key for outlines"
	if variable := KeyVariables[s.Summarizer]; variable != "" {
		cause = variable + " is not set here; set it, or leave out --pass-key if the server needs no key"
	} else if s.Summarizer != "auto" {
		cause = "--summarizer " + s.Summarizer + " uses no key; leave out one of the two"
	}
	return workspace.Errorf(workspace.ErrInvalid, "--pass-key: %s", cause)
}

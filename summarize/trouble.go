package summarize

import (
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A trouble is why a call made no answer.
type trouble struct {
	text  string        // the cause and the way out, in our words; it never holds the key
	said  string        // what another one said of it, which may quote the file: for its own agent only
	retry bool          // another try may help
	after time.Duration // that the provider asked to wait; 0: it did not say
	spent int64         // tokens
	mark  mark          // what it says about the provider
	cause error         // the end of a context, or nil

	wordless bool // the model came to its limit before it wrote
}

// failure returns the trouble as an error of a workspace. It hides the errors of
// net/http.
func (t *trouble) failure() error {
	e := workspace.Errorf(workspace.ErrProvider, "%s%s", t.text, t.said)
	e.Err = t.cause
	return e
}

const (
	mostSaid  = 200 // characters of a provider's message that are shown
	mostHeard = 8192
)

// says makes a text that came from outside fit for an error: one line of up to 200
// characters, without control characters and without the key.
func (p *provider) says(text string) string {
	if len(text) > mostHeard {
		text = text[:mostHeard]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = hide(strings.Join(strings.Fields(text), " "), p.key)
	if runes := []rune(text); len(runes) > mostSaid {
		return string(runes[:mostSaid-1]) + "…"
	}
	return text
}

func (p *provider) shownModel() string { return p.says(p.model) }

const (
	hiddenKey   = "[key]"
	leastHidden = 8 // characters of the key that are hidden where they stand alone
)

// hide replaces the key, and each part of it of 8 characters or more: providers
// quote keys in part, and texts are cut anywhere.
func hide(text, key string) string {
	if key == "" || text == "" {
		return text
	}
	width := min(leastHidden, len(key))
	low, lowKey := asciiLower(text), asciiLower(key)
	var b strings.Builder
	end := 0 // of what is to be hidden
	for i := range len(text) {
		if i+width <= len(low) && strings.Contains(lowKey, low[i:i+width]) {
			if i >= end {
				b.WriteString(hiddenKey)
			}
			end = i + width
		}
		if i >= end {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// shownURL returns what of a base URL may be shown: its user and its query may be
// secret.
func shownURL(base string) string {
	if base == "" {
		return ""
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "(no URL)"
	}
	return u.Scheme + "://" + u.Host
}

package summarize

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A trouble is the reason why a call has no answer.
type trouble struct {
	text  string        // the cause and what to do, unless way says it; never the key
	way   store.Way     // what to do, if each front end has its own words for it
	retry bool          // another try may help
	after time.Duration // how long the provider asked to wait; 0 if it did not
	spent int64         // tokens
	cause error         // the error of a context that ended, or nil

	wordless bool // the model reached its limit before it wrote a word
}

// failure returns the trouble as an error of a workspace. It hides the errors of
// net/http.
func (t *trouble) failure() error {
	e := workspace.Errorf(workspace.ErrProvider, "%s", t.text)
	e.Way, e.Err = t.way, t.cause
	return e
}

const (
	mostSaid  = 200 // characters of a provider's message that are shown
	mostHeard = 8192
)

// says prepares a text from outside for an error: one line of up to 200 characters,
// without control characters, without the key, and without addresses of the network,
// because agents see it.
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
	text = hideAddresses(hide(strings.Join(strings.Fields(text), " "), p.key))
	if !p.own && p.host != "" {
		text = strings.ReplaceAll(text, p.host, hiddenAddress)
	}
	if runes := []rune(text); len(runes) > mostSaid {
		return string(runes[:mostSaid-1]) + "…"
	}
	return text
}

const hiddenAddress = "[address]"

var addressLike = regexp.MustCompile(`[0-9a-fA-F.:\[\]]*[0-9a-fA-F\]]`)

// hideAddresses replaces the IP addresses in a text, with their ports.
func hideAddresses(text string) string {
	return addressLike.ReplaceAllStringFunc(text, func(word string) string {
		if isAddress(word) {
			return hiddenAddress
		}
		return word
	})
}

func isAddress(word string) bool {
	_, err := netip.ParseAddr(strings.Trim(word, "[]"))
	if err != nil {
		_, err = netip.ParseAddrPort(word)
	}
	return err == nil && strings.ContainsAny(word, "0123456789") // not the end of a::b
}

func (p *provider) shownModel() string { return p.says(p.model) }

const (
	hiddenKey   = "[key]"
	leastHidden = 8 // so many characters of the key in a row are hidden
)

// hide replaces the key and each part of it of 8 characters or more. Providers quote
// parts of keys, and texts are cut at any place.
func hide(text, key string) string {
	if key == "" || text == "" {
		return text
	}
	width := min(leastHidden, len(key))
	low, lowKey := asciiLower(text), asciiLower(key)
	var b strings.Builder
	end := 0 // of the part that is hidden
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

// shownURL returns the scheme and the host of a base URL. The rest may be secret.
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

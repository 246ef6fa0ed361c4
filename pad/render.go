package pad

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// RenderOptions are the options of [Pad.Render]. The zero value renders all entries as KV.
type RenderOptions struct {
	Format    Format   // an unknown format means KV
	Tags      []string // only entries with at least one of these tags; none: all entries
	Namespace string   // only entries below it; "a" and "a:" mean the same; "": all entries. Keys keep the prefix

	// MaxTokens limits CountTokens of the result. 0: no limit. Negative: the result is "".
	MaxTokens   int
	CountTokens func(text string) int // nil: tokens.Estimate. A negative count is taken as 0

	Metadata bool   // adds tags, the time of the update, and the time of expiry or the sliding TTL
	Header   string // a first line, written as it is; "": none
}

// Render writes the live entries for a prompt, in the order of creation. Two renders of a
// pad that has not changed return the same bytes.
//
// A string is written as it is, and so is a value whose JSON is a string, such as a
// [time.Time]. Other values are written as compact JSON. A number that JSON cannot hold is
// written as text ("NaN"), and any other such value as a note with its type.
//
// No stored text can be mistaken for another entry. In KV and Markdown, each further line
// of a key, a tag or a value is indented by four. In Markdown the first line of a value
// is indented too if it could begin a block, such as a heading. Lines end at \n, \r,
// \r\n, \v, \f, U+001C to U+001E, U+0085, U+2028 and U+2029. A key that could be read in
// two ways, for example with ": " in KV, is written as a JSON string, and so is a tag with
// a comma. Bytes that are not valid UTF-8 become U+FFFD, and in XML also characters that
// XML does not allow.
//
// To stay within MaxTokens, whole entries are left out: first those that do not fit alone,
// then the least recently updated. If there is room, a last line says how many (not in
// JSON). If no entry fits, the most recently updated one is cut, and ends in "… [cut]".
// The result is always well-formed. It is "" if not even the header fits.
//
// CountTokens is called without a lock. The texts that it gets add up to a small multiple
// of the whole text.
func (p *Pad) Render(o RenderOptions) string {
	return p.shared.view().render(p.prefix, p.shared.o.Now(), o)
}

// Render writes the entries like [Pad.Render].
func (s *Snapshot) Render(o RenderOptions) string { return s.view.render(s.prefix, s.time, o) }

func (v view) render(prefix string, now time.Time, o RenderOptions) string {
	if o.MaxTokens < 0 {
		return ""
	}
	r := rendering{header: o.Header, layout: o.Format.layout()}
	for e := range v.chosen(prefix, now, o) {
		r.pieces = append(r.pieces, r.piece(e, e.key[len(prefix):], v.at, o.Metadata))
	}
	if o.MaxTokens == 0 {
		return r.join(r.pieces, 0)
	}
	return newBudget(&r, o.MaxTokens, o.CountTokens).fit()
}

// chosen returns the live entries below a prefix that the options select.
func (v view) chosen(prefix string, now time.Time, o RenderOptions) iter.Seq[*entry] {
	if o.Namespace != "" {
		prefix += strings.TrimSuffix(o.Namespace, ":") + ":"
	}
	return func(yield func(*entry) bool) {
		if v.content == nil {
			return
		}
		for e := range v.live(prefix, now) {
			if (len(o.Tags) == 0 || e.taggedAny(o.Tags)) && !yield(e) {
				return
			}
		}
	}
}

func (e *entry) taggedAny(tags []string) bool {
	return slices.ContainsFunc(e.tags, func(tag string) bool { return slices.Contains(tags, tag) })
}

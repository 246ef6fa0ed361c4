package pad

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// RenderOptions of [Pad.Render]. The zero value renders all entries as KV.
type RenderOptions struct {
	Format    Format   // an unknown one is KV
	Tags      []string // entries with at least one of them; none: all entries
	Namespace string   // entries below it, "a" and "a:" alike; "": all entries. Keys stay as they are

	MaxTokens   int                   // what CountTokens of the result never exceeds; 0: no limit, negative: the result is ""
	CountTokens func(text string) int // nil: tokens.Estimate. A negative count is taken for 0

	Metadata bool   // adds tags, the time of the update, and that of expiry (sliding: the TTL)
	Header   string // written as it is, before the rest, on a line of its own; "": none
}

// Render writes the live entries for a prompt, in the order of creation. A pad
// that has not changed renders as the same bytes. A string is written as it is, and
// so is a value whose JSON is a string, such as a [time.Time]; any other as compact
// JSON. Of a value that JSON cannot hold, a number is written as text ("NaN"), and
// for any other a note with its type.
//
// What is stored cannot pass for another entry. In KV and Markdown each further
// line of a key, a tag or a value is indented by four, and in Markdown the first
// line of a value too where it could open a block, such as a heading. A line ends
// where Unicode or Python ends one: \n, \r, \r\n, \v, \f, U+001C to U+001E,
// U+0085, U+2028, U+2029. A key that could be read in two ways, as one that holds
// ": " in KV, is written as a JSON string, and so is a tag with a comma. In XML a
// character that it cannot hold becomes U+FFFD, as a byte that is not valid UTF-8
// does everywhere.
//
// To keep to MaxTokens, whole entries are left out: those that do not fit alone,
// then the least recently updated. Where there is room, a last line says how many
// (not in JSON). If none fits, the most recently updated is cut, and ends in
// "… [cut]". The result is well-formed in any case, but "" where not even the
// header fits. CountTokens is called outside of any lock; the text it gets in
// total is a small multiple of the whole.
func (p *Pad) Render(o RenderOptions) string {
	if p.invalid {
		return view{}.render("", time.Time{}, o)
	}
	return p.store.view().render(p.prefix, p.store.o.Now(), o)
}

// Render writes the entries as [Pad.Render] does.
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

// chosen returns the live entries below a prefix that the options let through.
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

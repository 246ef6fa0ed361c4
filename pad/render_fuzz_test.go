package pad_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// shown is an entry as a reader of a rendering finds it.
type shown struct {
	key, value string
	tags       []string // with metadata; of XML, KV and Markdown the list as it stands
}

// What is rendered reads back as what was stored, in each format and within each
// budget: nothing is forged, nothing is lost but whole entries, and the tail of one.
func FuzzRender(f *testing.F) {
	f.Add("name", "Alice", "role", "admin", "t", false, false, uint16(0))
	f.Add("a: b", "x\ny: z", "\"q\"", "\r## b\n\n## c", "a, b", true, true, uint16(40))
	f.Add("a\n# b", "# c\r\n", "  a", "```\n</entry>", "\n\"", true, false, uint16(90))
	f.Add("a\nb", "    c", "a", "    b\n    c", " ", false, true, uint16(300))
	f.Add("[1 entry left out]", "[2 entries left out]", "k", "\n\n[3 entries left out]", "*", true, false, uint16(60))
	f.Add("k", "\x00\xff\uFFFE<&>'\"\u2028\u0085", "l", "<!-- -->", "]]>", true, false, uint16(150))
	f.Add("a", "", "b\n", "", "", false, false, uint16(12))
	f.Fuzz(func(t *testing.T, key1, value1, key2, value2, tag string, meta, structured bool, budget uint16) {
		if key1 == "" || key2 == "" || key1 == key2 || !utf8.ValidString(key1+"|"+key2) || !utf8.ValidString(tag) {
			t.Skip()
		}
		p := ticking(t)
		put(t, p, key1, value1, tag)
		if structured {
			put(t, p, key2, []any{value2, map[string]any{value2: 1}})
		} else {
			put(t, p, key2, value2, tag, "other")
		}
		put(t, p, "plain", "text")
		for name, format := range formats {
			o := pad.RenderOptions{Format: format, Metadata: meta}
			whole := p.Render(o)
			entries, left := read(t, name, whole, meta)
			if want := stored(p, name, meta); left != 0 || !equalShown(entries, want) {
				t.Fatalf("%s: read %q, %d left out, want %q in\n%s", name, entries, left, want, whole)
			}
			for _, count := range []func(string) int{length, tokens.Estimate} {
				o.MaxTokens, o.CountTokens = int(budget), count
				text := p.Render(o)
				if budget > 0 && count(text) > int(budget) {
					t.Fatalf("%s: %d tokens of %d: %q", name, count(text), budget, text)
				}
				if text != "" {
					some, left := read(t, name, text, meta)
					checkSome(t, name, some, left, entries)
				}
			}
		}
	})
}

// checkSome checks what was kept of all entries: whole ones in their order, or one
// that was cut.
func checkSome(t *testing.T, format string, some []shown, left int, all []shown) {
	t.Helper()
	if left > 0 && left != len(all)-len(some) {
		t.Fatalf("%s: says %d left out of %d, has %d", format, left, len(all), len(some))
	}
	if len(some) == 1 {
		if value, cut := strings.CutSuffix(some[0].value, "… [cut]"); cut {
			last := all[len(all)-1]
			if last.key != some[0].key || !strings.HasPrefix(last.value, value) {
				t.Fatalf("%s: cut to %q, want the beginning of %q", format, some, last)
			}
			return
		}
	}
	at := 0
	for _, e := range some {
		for at < len(all) && !equalShown(all[at:at+1], []shown{e}) {
			at++
		}
		if at == len(all) {
			t.Fatalf("%s: %q is none of %q, in their order", format, e, all)
		}
	}
}

func equalShown(a, b []shown) bool {
	return slices.EqualFunc(a, b, func(a, b shown) bool {
		return a.key == b.key && a.value == b.value && slices.Equal(a.tags, b.tags)
	})
}

// stored returns what a rendering must read back as.
func stored(p *pad.Pad, format string, meta bool) []shown {
	var list []shown
	for e := range p.All() {
		s := shown{key: e.Key}
		if text, ok := e.Value.(string); ok {
			s.value = strings.Map(func(r rune) rune { return r }, text)
		} else {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(e.Value)
			s.value = strings.TrimSuffix(b.String(), "\n")
		}
		if meta {
			s.tags = e.Tags
		}
		if format == "XML" {
			s.key, s.value = forXML(s.key), forXML(s.value)
			for i := range s.tags {
				s.tags[i] = forXML(s.tags[i])
			}
		}
		list = append(list, s)
	}
	return list
}

func forXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, s)
}

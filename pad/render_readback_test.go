package pad_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// shown is an entry as a reader finds it in a rendering.
type shown struct {
	key, value string
	tags       []string // with metadata; of XML, KV and Markdown the list as it stands
}

// A rendering reads back as the stored entries, in each format. Within a budget only whole
// entries are missing, or the end of the last one. No text forges an entry.
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

// checkSome checks that the kept entries are whole and in order, or one that was cut.
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

// stored returns the entries that a rendering must read back as.
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

func read(t *testing.T, format, text string, meta bool) (entries []shown, left int) {
	t.Helper()
	var err error
	switch format {
	case "KV":
		entries, left, err = readKV(text, meta)
	case "Markdown":
		entries, left, err = readMarkdown(text, meta)
	case "XML":
		entries, left, err = readXML(text)
	case "JSON":
		entries, err = readJSON(text, meta)
	}
	if err != nil {
		t.Fatalf("%s: %v in %q", format, err, text)
	}
	return entries, left
}

var leftOut = regexp.MustCompile(`^\[(\d+) entr(?:y|ies) left out\]$`)

func readLeftOut(line string) (n int) {
	if m := leftOut.FindStringSubmatch(line); m != nil {
		_, _ = fmt.Sscan(m[1], &n)
	}
	return n
}

const indentation = "    "

// blocks joins the lines that are indented by four to the one before.
func blocks(text string) []string {
	var list []string
	for i, line := range strings.Split(text, "\n") {
		if i > 0 && strings.HasPrefix(line, indentation) {
			list[len(list)-1] += "\n" + line
		} else {
			list = append(list, line)
		}
	}
	return list
}

// unindented removes the indentation that must follow each line break.
func unindented(text string) (string, error) {
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if strings.HasPrefix(rest, "\r\n") {
			size = 2
		}
		b.WriteString(rest[:size])
		rest = rest[size:]
		if strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) {
			after, ok := strings.CutPrefix(rest, indentation)
			if !ok {
				return "", fmt.Errorf("a line of %q is not indented", text)
			}
			rest = after
		}
	}
	return b.String(), nil
}

// unquoted reads a JSON string where one begins, and returns what follows it.
func unquoted(text, end string) (name, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		name, rest, ok := strings.Cut(text, end)
		if !ok && end != "," {
			return "", "", fmt.Errorf("%q has no %q", text, end)
		}
		return name, rest, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&name); err != nil {
		return "", "", err
	}
	rest, ok := strings.CutPrefix(text[d.InputOffset():], end)
	if !ok && end != "," {
		return "", "", fmt.Errorf("%q goes on behind the quotes", text)
	}
	return name, rest, nil
}

func readTags(line string) (tags []string, err error) {
	line, err = unindented(line)
	if err != nil || !strings.HasPrefix(line, "updated 1970-01-01T00:00:") {
		return nil, fmt.Errorf("%q is no metadata: %v", line, err)
	}
	_, rest, _ := strings.Cut(line, "; tags: ")
	return splitTags(rest)
}

func splitTags(rest string) (tags []string, err error) {
	for rest != "" {
		var tag string
		if tag, rest, err = unquoted(rest, ","); err != nil {
			return nil, err
		}
		tags, rest = append(tags, tag), strings.TrimPrefix(rest, " ")
	}
	return tags, nil
}

func readKV(text string, meta bool) (entries []shown, left int, err error) {
	list := blocks(text)
	for i := 0; i < len(list); i++ {
		if n := readLeftOut(list[i]); n > 0 && i == len(list)-1 {
			return entries, n, nil
		}
		line, err := unindented(list[i])
		if err != nil {
			return nil, 0, err
		}
		var e shown
		if e.key, e.value, err = unquoted(line, ": "); err != nil {
			return nil, 0, err
		}
		if meta {
			if i++; i == len(list) || !strings.HasPrefix(list[i], "  updated") {
				return nil, 0, fmt.Errorf("%q has no metadata", line)
			}
			if e.tags, err = readTags(list[i][2:]); err != nil {
				return nil, 0, err
			}
		}
		entries = append(entries, e)
	}
	return entries, 0, nil
}

func readMarkdown(text string, meta bool) (entries []shown, left int, err error) {
	list := blocks(text)
	for i := 0; i < len(list); i++ {
		if n := readLeftOut(list[i]); n > 0 && i == len(list)-1 {
			return entries, n, nil
		}
		head, ok := strings.CutPrefix(list[i], "## ")
		if !ok {
			return nil, 0, fmt.Errorf("%q is no heading", list[i])
		}
		var e shown
		value, ends := "", func(i int) bool {
			return i == len(list) || i+1 < len(list) && list[i] == "" && (strings.HasPrefix(list[i+1], "## ") || readLeftOut(list[i+1]) > 0 && i+2 == len(list))
		}
		if meta {
			if i += 2; i >= len(list) || !strings.HasPrefix(list[i-1], "*") || !strings.HasSuffix(list[i-1], "*") {
				return nil, 0, fmt.Errorf("%q has no metadata", head)
			}
			if e.tags, err = readTags(list[i-1][1 : len(list[i-1])-1]); err != nil {
				return nil, 0, err
			}
			if inner, ok := strings.CutPrefix(list[i], "\n"+indentation); ok { // the blank line, and a value that is indented
				value = inner
			} else if i++; list[i-1] == "" && i < len(list) {
				value = list[i]
			} else {
				return nil, 0, fmt.Errorf("%q has no value", head)
			}
		} else if first, inner, ok := strings.Cut(head, "\n"+indentation); ok && ends(i+1) {
			head, value = first, inner // all is indented
		} else if i++; i < len(list) {
			value = list[i]
		} else {
			return nil, 0, fmt.Errorf("%q has no value", head)
		}
		if e.value, err = unindented(value); err != nil {
			return nil, 0, err
		}
		if head, err = unindented(head); err != nil {
			return nil, 0, err
		}
		e.key = head
		if strings.HasPrefix(head, `"`) {
			if err := json.Unmarshal([]byte(head), &e.key); err != nil {
				return nil, 0, err
			}
		}
		entries = append(entries, e)
		if i++; !ends(i) {
			return nil, 0, fmt.Errorf("%q goes on", list[i-1])
		}
	}
	return entries, 0, nil
}

func readXML(text string) (entries []shown, left int, err error) {
	var r struct {
		Entries []struct {
			Key   string     `xml:"key,attr"`
			Tags  string     `xml:"tags,attr"`
			Value string     `xml:",chardata"`
			Inner []struct{} `xml:",any"`
		} `xml:"entry"`
		Comment string     `xml:",comment"`
		Between string     `xml:",chardata"`
		Others  []struct{} `xml:",any"`
	}
	d := xml.NewDecoder(strings.NewReader("<r>" + text + "</r>"))
	if err := d.Decode(&r); err != nil || r.Others != nil || strings.Trim(r.Between, "\n") != "" || d.InputOffset() != int64(len(text))+7 {
		return nil, 0, fmt.Errorf("%v, or %q and %d elements besides the entries, or text after the end", err, r.Between, len(r.Others))
	}
	for _, x := range r.Entries {
		tags, err := splitTags(x.Tags)
		if err != nil || x.Inner != nil {
			return nil, 0, fmt.Errorf("%v, or an element within %q", err, x.Key)
		}
		for i := range tags {
			tags[i] = forXML(tags[i]) // JSON quotes some that XML cannot hold
		}
		entries = append(entries, shown{x.Key, x.Value, tags})
	}
	return entries, readLeftOut("[" + strings.TrimSpace(r.Comment) + "]"), nil
}

func readJSON(text string, meta bool) (entries []shown, err error) {
	var raws map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raws); err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(text)) // for the order
	_, _ = d.Token()
	for range raws {
		key, _ := d.Token()
		e := shown{key: key.(string)}
		var raw json.RawMessage
		_ = d.Decode(&raw)
		if meta {
			var m struct {
				Value json.RawMessage
				Tags  []string
			}
			if err := json.Unmarshal(raw, &m); err != nil {
				return nil, err
			}
			raw, e.tags = m.Value, m.Tags
		}
		if json.Unmarshal(raw, &e.value) != nil {
			e.value = string(raw)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

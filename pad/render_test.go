package pad_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

var formats = map[string]pad.Format{
	"KV": pad.KV, "Markdown": pad.Markdown, "XML": pad.XML, "JSON": pad.JSON,
}

// rendered holds the renderings of a pad as KV, Markdown, XML and JSON.
type rendered [4]string

func checkRender(t *testing.T, name string, p *pad.Pad, o pad.RenderOptions, want rendered) {
	t.Helper()
	for i, format := range []pad.Format{pad.KV, pad.Markdown, pad.XML, pad.JSON} {
		o.Format = format
		if got := p.Render(o); got != want[i] {
			t.Errorf("%s, format %d:\ngot  %q\nwant %q", name, format, got, want[i])
		}
		if got := p.Snapshot().Render(o); got != want[i] {
			t.Errorf("%s, format %d of a snapshot:\ngot  %q\nwant %q", name, format, got, want[i])
		}
	}
}

func TestRenderFormats(t *testing.T) {
	p := emptyPad(t)
	checkRender(t, "empty", p, pad.RenderOptions{}, rendered{"", "", "", "{}"})
	checkRender(t, "empty with a header", p, pad.RenderOptions{Header: "H"}, rendered{"H", "H", "H", "H\n{}"})
	put(t, p, "name", "Alice")
	put(t, p, "role", "admin")
	checkRender(t, "two", p, pad.RenderOptions{}, rendered{
		"name: Alice\nrole: admin",
		"## name\nAlice\n\n## role\nadmin",
		`<entry key="name">Alice</entry>` + "\n" + `<entry key="role">admin</entry>`,
		`{"name":"Alice","role":"admin"}`,
	})
	put(t, p, "name", "Bob") // keeps its place
	checkRender(t, "with a header", p, pad.RenderOptions{Header: "# Memory"}, rendered{
		"# Memory\nname: Bob\nrole: admin",
		"# Memory\n## name\nBob\n\n## role\nadmin",
		"# Memory\n" + `<entry key="name">Bob</entry>` + "\n" + `<entry key="role">admin</entry>`,
		"# Memory\n" + `{"name":"Bob","role":"admin"}`,
	})
	if got := p.Render(pad.RenderOptions{Format: 99}); got != "name: Bob\nrole: admin" {
		t.Errorf("an unknown format = %q, want KV", got)
	}
	if got := new(pad.Snapshot).Render(pad.RenderOptions{Format: pad.JSON}); got != "{}" {
		t.Errorf("the zero Snapshot = %q, want {}", got)
	}
}

func TestRenderFilters(t *testing.T) {
	p := emptyPad(t)
	put(t, p, "b:x", 1, "hot")
	put(t, p, "a:x", 2, "cold")
	put(t, p, "a:y", 3, "hot", "new")
	put(t, p, "ab:x", 4)
	put(t, p, "b:a:z", 5, "new")
	for _, c := range []struct {
		name string
		pad  *pad.Pad
		o    pad.RenderOptions
		want string
	}{
		{"a tag", p, pad.RenderOptions{Tags: []string{"hot"}}, "b:x: 1\na:y: 3"},
		{"any of the tags", p, pad.RenderOptions{Tags: []string{"new", "cold", "none"}}, "a:x: 2\na:y: 3\nb:a:z: 5"},
		{"a namespace", p, pad.RenderOptions{Namespace: "a"}, "a:x: 2\na:y: 3"},
		{"both must hold", p, pad.RenderOptions{Namespace: "a", Tags: []string{"hot"}}, "a:y: 3"},
		{"a view", p.Namespace("b"), pad.RenderOptions{}, "x: 1\na:z: 5"},
		{"a namespace of a view", p.Namespace("b"), pad.RenderOptions{Namespace: "a"}, "a:z: 5"},
		{"no view", p.Namespace(""), pad.RenderOptions{}, ""},
	} {
		if got := c.pad.Render(c.o); got != c.want {
			t.Errorf("%s: Render() = %q, want %q", c.name, got, c.want)
		}
		if got := c.pad.Snapshot().Render(c.o); got != c.want {
			t.Errorf("%s: Render() of a snapshot = %q, want %q", c.name, got, c.want)
		}
	}
}

type named string
type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { panic("broken") }

func TestRenderValues(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name       string
		value      any
		text, json string
	}{
		{"string", "a <b> & \"c\"", "a <b> & \"c\"", `"a <b> & \"c\""`},
		{"not UTF-8", "a\xff\xfeb", "a\uFFFD\uFFFDb", `"a` + `\ufffd\ufffd` + `b"`},
		{"number", 42, "42", "42"},
		{"nil", nil, "null", "null"},
		{"map", map[string]any{"b": 1, "a": []string{"<"}}, `{"a":["<"],"b":1}`, `{"a":["<"],"b":1}`},
		{"time", at, "2026-01-02T03:04:05Z", `"2026-01-02T03:04:05Z"`},
		{"raw", json.RawMessage(` { "a" : 1 } `), `{"a":1}`, `{"a":1}`},
		{"NaN", math.NaN(), "NaN", `"NaN"`},
		{"Inf", math.Inf(-1), "-Inf", `"-Inf"`},
		{"complex", complex(1, 2), "(1+2i)", `"(1+2i)"`},
		{"chan", make(chan int), "(a chan int, which has no JSON form)", `"(a chan int, which has no JSON form)"`},
		{"cyclic", cyclic, "(a map[string]interface {}, which has no JSON form)", `"(a map[string]interface {}, which has no JSON form)"`},
		{"panics", broken{}, "(a pad_test.broken, which has no JSON form)", `"(a pad_test.broken, which has no JSON form)"`},
	} {
		p := emptyPad(t)
		put(t, p, "k", c.value)
		if got, want := p.Render(pad.RenderOptions{}), "k: "+c.text; got != want {
			t.Errorf("%s: KV = %q, want %q", c.name, got, want)
		}
		if got, want := p.Render(pad.RenderOptions{Format: pad.JSON}), `{"k":`+c.json+`}`; got != want {
			t.Errorf("%s: JSON = %q, want %q", c.name, got, want)
		}
	}
}

// A value from JSON renders as its compacted JSON. A value renders the same before it was
// saved and after it was loaded, and does not differ.
func TestRenderAfterLoad(t *testing.T) {
	entry := `{"entries":{"k":{"key":"k","value":%s,"createdAt":1,"updatedAt":1,"accessedAt":1,"ttl":null,"slidingTtl":false,"tags":[]}},"timestamp":1,"version":1}`
	for raw, want := range map[string][2]string{
		`{ "b": 1e5, "a": "<>",` + "\n" + `"a":12345678901234567890 }`: {`{"b":1e5,"a":"<>","a":12345678901234567890}`, `{"b":1e5,"a":"<>","a":12345678901234567890}`},
		`"a\u003cb"`: {"a<b", `"a\u003cb"`},
	} {
		var s pad.Snapshot
		testkit.Must(t, json.Unmarshal(fmt.Appendf(nil, entry, raw), &s))
		if got := s.Render(pad.RenderOptions{}); got != "k: "+want[0] {
			t.Errorf("KV of %s = %s", raw, got)
		}
		if got := s.Render(pad.RenderOptions{Format: pad.JSON}); got != `{"k":`+want[1]+`}` {
			t.Errorf("JSON of %s = %s", raw, got)
		}
	}
	p := emptyPad(t)
	for i, v := range []any{
		"a\nb", "é\u2028", "\ufffd \\ufffd \\\\ufffd", 1, int8(-2), uint64(math.MaxUint64), 1.5, 1e300, 5e-324, float32(0.1), math.Copysign(0, -1), 1e21, nil, true, named("n"), point{1, 2}, &point{},
		[]int{1, 2}, []string(nil), []byte("bytes"), map[string]int{"z": 1, "a": 2}, map[int]string{1: "x"}, time.Now(), time.Second, json.Number("1e400"), json.RawMessage(`{"b": 1.0, "a": [1e2]}`),
	} {
		testkit.Must(t, p.SetWith(fmt.Sprint(i), v, pad.SetOptions{TTL: time.Hour, Tags: []string{"t"}}))
	}
	testkit.Must(t, p.SetWith("short", 1, pad.SetOptions{TTL: 1}))
	testkit.Must(t, p.SetWith("long", 1, pad.SetOptions{TTL: math.MaxInt64, Expiry: pad.Sliding}))
	text, err := json.Marshal(p.Snapshot())
	testkit.Must(t, err)
	var s pad.Snapshot
	testkit.Must(t, json.Unmarshal(text, &s))
	if before := p.Snapshot(); len(pad.Diff(before, &s).Unchanged) != before.Len() || len(pad.Diff(&s, before).Unchanged) != before.Len() {
		t.Errorf("Diff() = %+v, want all %d unchanged", pad.Diff(before, &s), before.Len())
	}
	for name, f := range formats {
		o := pad.RenderOptions{Format: f, Metadata: true}
		if got, want := s.Render(o), p.Render(o); got != want {
			t.Errorf("%s after a load:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestRenderMetadata(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.FixedZone("", 3600))
	p, _ := newPad(t, pad.Options{Now: func() time.Time { return now }})
	set := func(key string, o pad.SetOptions) {
		testkit.Must(t, p.SetWith(key, "v", o))
	}
	set("plain", pad.SetOptions{})
	set("fixed", pad.SetOptions{TTL: time.Hour, Tags: []string{"a", "b,c", `"<`}})
	set("sliding", pad.SetOptions{TTL: time.Hour, Expiry: pad.Sliding, Tags: []string{"x"}})
	want := rendered{
		"plain: v\n  updated 2026-01-02T02:04:05Z\n" +
			"fixed: v\n  updated 2026-01-02T02:04:05Z; expires 2026-01-02T03:04:05Z; tags: a, \"b,c\", \"\\\"<\"\n" +
			"sliding: v\n  updated 2026-01-02T02:04:05Z; ttl 1h0m0s; tags: x",
		"## plain\n*updated 2026-01-02T02:04:05Z*\n\nv\n\n" +
			"## fixed\n*updated 2026-01-02T02:04:05Z; expires 2026-01-02T03:04:05Z; tags: a, \"b,c\", \"\\\"<\"*\n\nv\n\n" +
			"## sliding\n*updated 2026-01-02T02:04:05Z; ttl 1h0m0s; tags: x*\n\nv",
		`<entry key="plain" updated="2026-01-02T02:04:05Z">v</entry>` + "\n" +
			`<entry key="fixed" updated="2026-01-02T02:04:05Z" expires="2026-01-02T03:04:05Z" tags="a, &quot;b,c&quot;, &quot;\&quot;&lt;&quot;">v</entry>` + "\n" +
			`<entry key="sliding" updated="2026-01-02T02:04:05Z" ttl="1h0m0s" tags="x">v</entry>`,
		`{"plain":{"value":"v","updated":"2026-01-02T02:04:05Z"},` +
			`"fixed":{"value":"v","updated":"2026-01-02T02:04:05Z","expires":"2026-01-02T03:04:05Z","tags":["a","b,c","\"<"]},` +
			`"sliding":{"value":"v","updated":"2026-01-02T02:04:05Z","ttl":"1h0m0s","tags":["x"]}}`,
	}
	checkRender(t, "metadata", p, pad.RenderOptions{Metadata: true}, want)
	now = now.Add(30 * time.Minute)
	p.Get("sliding")
	checkRender(t, "metadata after an access", p, pad.RenderOptions{Metadata: true}, want)
	now = now.Add(45 * time.Minute)
	if got := p.Render(pad.RenderOptions{}); got != "plain: v\nsliding: v" {
		t.Errorf("Render() = %q, want without what has expired", got)
	}
}

// In Markdown the first line of a value is indented if it could open a block.
func TestRenderMarkdownBlocks(t *testing.T) {
	for indent, values := range map[string][]string{
		"    ": {"# a", "> a", "- a", "-", "* a", "+ a", "1. a", "1) a", "1.", "```", "~~~", "---", "===", "___", "***", "<!--", " a", "\ta", "**a**"},
		"":     {"", "a", "-5", "3.14", "2026-01-02", "*a*", "_a_", "`a`", "[1]", `{"a":1}`, "…", "é"},
	} {
		for _, value := range values {
			p := emptyPad(t)
			put(t, p, "k", value)
			if got, want := p.Render(pad.RenderOptions{Format: pad.Markdown}), "## k\n"+indent+value; got != want {
				t.Errorf("Render() of %q = %q, want %q", value, got, want)
			}
		}
	}
}

func length(text string) int { return len(text) }

// ticking returns a pad whose clock advances one second at each call.
func ticking(t testing.TB) *pad.Pad {
	now := time.Unix(0, 0)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	return p
}

func TestRenderBudget(t *testing.T) {
	p := ticking(t)
	d := strings.Repeat("4", 60)
	put(t, p, "a", "11")
	put(t, p, "b", "22")
	put(t, p, "c", "33")
	put(t, p, "d", d)
	put(t, p, "a", "99") // updated last
	p.Get("b")           // an access is no update
	for _, c := range []struct {
		max          int
		header, want string
	}{
		{0, "", "a: 99\nb: 22\nc: 33\nd: " + d},
		{-1, "", ""},
		{81, "", "a: 99\nb: 22\nc: 33\nd: " + d},
		{80, "", "a: 99\nc: 33\nd: " + d}, // b is the oldest
		{74, "", "a: 99\nd: " + d},
		{68, "", "a: 99\n[3 entries left out]"}, // d fits alone, so what is older goes first
		{36, "", "a: 99\nb: 22\nc: 33\n[1 entry left out]"},
		{35, "", "a: 99\nb: 22\nc: 33"},
		{16, "", "a: 99\nc: 33"},
		{10, "", "a: 99"},
		{5, "", "a: 99"},
		{4, "", ""},
		{19, "H", "H\na: 99\nb: 22\nc: 33"},
		{18, "H", "H\na: 99\nc: 33"},
		{7, "H", "H\na: 99"},
		{1, "H", "H"},
		{1, "HH", ""},
	} {
		o := pad.RenderOptions{MaxTokens: c.max, CountTokens: length, Header: c.header}
		if got := p.Render(o); got != c.want {
			t.Errorf("max %d, header %q:\ngot  %q\nwant %q", c.max, c.header, got, c.want)
		}
	}
}

// If no entry fits, the most recently updated one is cut.
func TestRenderCut(t *testing.T) {
	p := ticking(t)
	put(t, p, "old", strings.Repeat("o", 500))
	put(t, p, "new", strings.Repeat("aé<\n", 200))
	for name, f := range formats {
		for max := range 700 {
			got := p.Render(pad.RenderOptions{Format: f, MaxTokens: max + 1, CountTokens: length})
			if len(got) > max+1 || !utf8.ValidString(got) {
				t.Fatalf("%s, max %d: %d bytes, %q", name, max+1, len(got), got)
			}
			if max > 100 && max < 500 && (!strings.Contains(got, "… [cut]") || len(got) < max*9/10) {
				t.Fatalf("%s, max %d: %d bytes, want nearly as many, cut: %q", name, max+1, len(got), got)
			}
			if max > 130 && max < 500 && f != pad.JSON && !strings.Contains(got, "1 entry left out") {
				t.Fatalf("%s, max %d: want a last line: %q", name, max+1, got)
			}
		}
	}
	for max, want := range map[int]string{
		12: "", 13: "", 14: "new: … [cut]", 15: "new: a… [cut]", 16: "new: a… [cut]", 17: "new: aé… [cut]",
	} {
		if got := p.Render(pad.RenderOptions{MaxTokens: max, CountTokens: length}); got != want {
			t.Errorf("max %d = %q, want %q", max, got, want)
		}
	}
}

// The counter gets a small multiple of the bytes of the text, even if its counts do not
// add up or make no sense. If it says that the whole text fits, nothing is left out.
func TestRenderCountingIsLinear(t *testing.T) {
	testkit.SkipInShort(t)
	many := ticking(t)
	for i := range 100 {
		put(t, many, fmt.Sprint("key", i), strings.Repeat("some text ", i%40))
	}
	one := ticking(t)
	put(t, one, "key", strings.Repeat("some text ", 1500))
	random := uint32(1)
	counters := map[string]struct {
		count func(string) int
		most  int // times the text
	}{
		"length":     {length, 3},
		"estimate":   {tokens.Estimate, 3},
		"root":       {func(s string) int { return int(math.Sqrt(float64(len(s)))) }, 8},
		"whole only": {func(s string) int { return max(0, len(s)-1500) * 1000 }, 8},
		"random": {func(s string) int {
			random = random*1664525 + 1013904223
			return int(random>>8) % (len(s) + 1)
		}, 8},
	}
	for padName, p := range map[string]*pad.Pad{"many": many, "one": one} {
		for name, c := range counters {
			for _, f := range formats {
				text := p.Render(pad.RenderOptions{Format: f})
				whole, counted := len(text), 0
				if got := p.Render(pad.RenderOptions{Format: f, MaxTokens: c.count(text), CountTokens: c.count}); name != "random" && got != text {
					t.Errorf("%s, %s, format %d: a budget that fits left something out", padName, name, f)
				}
				for _, budget := range []int{1, 100, 1500, whole / 2, whole - 1} {
					counted, random = 0, 1 // the same numbers in each order of the maps
					o := pad.RenderOptions{Format: f, MaxTokens: budget, CountTokens: func(s string) int { counted += len(s); return c.count(s) }}
					got := p.Render(o)
					if counted > c.most*whole+1000 {
						t.Errorf("%s, %s, format %d, budget %d: counted %d bytes of %d, %.1f times", padName, name, f, budget, counted, whole, float64(counted)/float64(whole))
					}
					if n := c.count(got); name != "random" && n > budget && got != "" {
						t.Errorf("%s, %s, budget %d: the result counts %d", padName, name, budget, n)
					}
					if f == pad.JSON && got != "" && !json.Valid([]byte(got)) {
						t.Errorf("%s, %s, budget %d: not JSON: %.80q", padName, name, budget, got)
					}
				}
			}
		}
	}
}

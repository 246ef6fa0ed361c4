package strictjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var seeds = []string{
	``, ` `, `null`, ` true `, `false`, `nul`, `nullx`, `0`, `-0`, `01`, `-`, `1.`, `1.5`, `.5`, `1e`, `1e+`, `1E-07`, `1.5e3 `, `--1`, `+1`, `0x1`, `NaN`,
	`""`, `"`, `"\`, `"\"`, `"\\"`, `"\\\""`, `"\q"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\ud800"`, `"\ud83d\ude00"`, `"\ude00\ud83d"`, "\"\n\"", "\"\x00\"", "\"\x7f\xff\"", `"a\/b\b\f\n\r\t\u0041"`,
	`{}`, `{ }`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1}`, `{"a":1 "b":2}`, `{"a":1,"b":[1,{"c":"}"}],"a":null}`, `{1:2}`, `{"a":1}}`, `{"a":1} {}`, `{'a':1}`, `{"\u0061":1}`,
	`[]`, `[ ]`, `[,]`, `[1,]`, `[1 2]`, `[1,[2,[3,{}]],"]"]`, `[}`, `{]`, `[1}`, `[[`, `]`, `}`, `,`, `:`, "\xef\xbb\xbf{}", "[\xa01]", "[\v1]", "\x00", `[1]` + "\x00",
}

// agree compares all functions with encoding/json.
func agree(t *testing.T, text []byte) {
	t.Helper()
	values, ok := check(text)
	if ok != json.Valid(text) {
		t.Fatalf("check(%q) = %v, encoding/json says %v", text, ok, !ok)
	}
	if !ok {
		return
	}
	var want any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	testkit.Must(t, d.Decode(&want))
	if values+1 < count(want) {
		t.Errorf("check(%q) counts %d values, want %d at least", text, values, count(want)-1)
	}
	text = bytes.TrimSpace(text)
	object, _ := want.(map[string]any)
	members := map[string]any{}
	for name, value := range Members(text) {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			t.Errorf("Members(%q): the value of %q is %q: %v", text, name, value, err)
		}
		members[name] = v
	}
	if len(members) != len(object) {
		t.Errorf("Members(%q) = %v, want %v", text, members, object)
	}
	for name := range maps.Keys(object) {
		if _, ok := members[name]; !ok {
			t.Errorf("Members(%q) has no %q", text, name)
		}
	}
	s, isText := want.(string)
	if got, ok := Text(text); ok != isText || got != s {
		t.Errorf("Text(%q) = %q, %v, want %q, %v", text, got, ok, s, isText)
	}
	if isText && LoneSurrogate(text) && !strings.ContainsRune(s, utf8.RuneError) {
		t.Errorf("LoneSurrogate(%q), which is %q", text, s)
	}
}

// count returns the number of values in a value.
func count(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += count(e)
		}
	case map[string]any:
		for _, e := range v {
			n += count(e)
		}
	}
	return n
}

// All functions agree with encoding/json.
func TestCheck(t *testing.T) {
	for _, s := range seeds {
		agree(t, []byte(s))
		for _, around := range []string{`[%]`, `{"a":%}`, `[0,%,{}]`, ` % `} {
			agree(t, []byte(strings.ReplaceAll(around, "%", s)))
		}
	}
	for _, depth := range []int{9_999, 10_000, 10_001} {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, ok := check([]byte(text)); ok != json.Valid([]byte(text)) {
			t.Errorf("check with depth %d = %v", depth, ok)
		}
	}
	if values, _ := check([]byte(`{"a":[1,2,{}],"b":"[,{"}`)); values != 6 {
		t.Errorf("%d values, want 6", values)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, text) })
}

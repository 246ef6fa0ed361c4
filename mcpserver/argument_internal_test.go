package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/brevity"
)

// again returns decoded arguments as JSON.
func (a *arguments) again(t *testing.T) []byte {
	t.Helper()
	all := map[string]any{}
	for _, g := range a.given {
		switch g.kind {
		case "integer":
			all[g.name] = g.number
		case "boolean":
			all[g.name] = g.number == 1
		default:
			all[g.name] = g.text
		}
	}
	if len(all) != len(a.given) {
		t.Errorf("an argument stands twice in %+v", a.given)
	}
	raw, err := json.Marshal(all)
	testkit.Must(t, err)
	return raw
}

// agrees compares decoded arguments with what encoding/json reads into a map, where it
// keeps the case of names. It does not check that no name stands twice.
func (a *arguments) agrees(t *testing.T, raw []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var want map[string]any
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q is taken, which encoding/json refuses: %v", raw, err)
	}
	if d.More() {
		t.Fatalf("%q is taken with what stands after it", raw)
	}
	for name, value := range want {
		g, has := a.lookup(name)
		text, isText := value.(string)
		switch v := value.(type) {
		case nil:
			if has {
				t.Errorf("%q: %s is there, want it absent", raw, name)
			}
		default:
			switch g.kind {
			case "boolean":
				if said := fmt.Sprint(v); (g.number == 1) != (said == "true") || g.number == 0 && said != "false" {
					t.Errorf("%q: %s is %v, want %v", raw, name, g.number, v)
				}
			case "integer":
				r, ok := new(big.Rat).SetString(fmt.Sprint(v))
				if !ok || !has || r.Cmp(new(big.Rat).SetInt64(g.number)) != 0 {
					t.Errorf("%q: %s is %d, want %s", raw, name, g.number, v)
				}
			case "string":
				if isText && g.text != text || !isText && !bytes.Contains(raw, []byte(g.text)) {
					t.Errorf("%q: %s is %q, want %q", raw, name, g.text, v)
				}
			}
		}
	}
}

// Arguments that are accepted are those that encoding/json reads. Written and read again
// they are the same. Nothing panics.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, ` null`, `{}`, `[]`, `{"path":"f"}`, `{"agent_id":"a","path":"f","content":"x","if_version":0}`, `{"path":"f","path":"g"}`, `{"Path":"f"}`,
		`{"path":"f","since_version":1.0,"context":-1}`, `{"path":"f","since_version":1e0}`, `{"path":"f","since_version":9007199254740993}`, `{"path":"f","since_version":4503599627370497.5}`, `{"path":"f","limit":1e1000000000}`, `{"path":"f","limit":0.1e1}`,
		`{"path":"\ud800"}`, `{"path":"\ud83d\ude00"}`, `{"path":"\\ud800"}`, "{\"path\":\"\xff\"}", `{"path":"f"}{}`, `{"path":"f"} x`, `{"path":"f",}`, `{"path" "f"}`, `{"all":true}`,
		`{"path":null,"tail":null}`, `{"path":"f","tail":null}`, `{"path":{"a":[1]}}`, `{"path":1.50}`, `{"path":"f","tail":"5"}`, `{"path":"f","all":"true"}`, `{"content":"\u0000"}`, ` { "entry" : "e" } `, `{"path":"f","tail":1E+2}`, `{"pa\u0074h":"f"}`, "{\"pa\xffth\":\"f\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range tools(Options{}) {
			known := append([]property{{name: "agent_id", kind: "string"}}, tool.properties...)
			a, err := decode(raw, known)
			if err != nil {
				if text := brevity.Cut(err.Error()); len(text) > 6*brevity.MaxTokens+5 {
					t.Errorf("the error for %q has %d bytes", raw, len(text))
				}
				continue
			}
			if len(raw) > 0 && string(raw) != "null" {
				a.agrees(t, raw)
			}
			b, err := decode(a.again(t), known)
			if err != nil || string(a.again(t)) != string(b.again(t)) {
				t.Errorf("%s of %q = %+v, written and read again %+v, %v", tool.name, raw, a, b, err)
			}
		}
	})
}

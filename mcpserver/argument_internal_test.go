package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// again returns decoded arguments as JSON.
func (a *arguments) again(t *testing.T) []byte {
	t.Helper()
	all := map[string]any{}
	for _, g := range a.Values {
		switch g.Kind {
		case "integer":
			all[g.Name] = g.Number
		case "boolean":
			all[g.Name] = g.Number == 1
		default:
			all[g.Name] = g.Text
		}
	}
	if len(all) != len(a.Values) {
		t.Errorf("an argument stands twice in %+v", a.Values)
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
		has := a.Has(name)
		text, isText := value.(string)
		switch v := value.(type) {
		case nil:
			if has {
				t.Errorf("%q: %s is there, want it absent", raw, name)
			}
		default:
			if !has {
				t.Errorf("%q: %s is absent", raw, name)
				continue
			}
			g := a.Given(name)
			switch g.Kind {
			case "boolean":
				if said := fmt.Sprint(v); (g.Number == 1) != (said == "true") || g.Number == 0 && said != "false" {
					t.Errorf("%q: %s is %v, want %v", raw, name, g.Number, v)
				}
			case "integer":
				r, ok := new(big.Rat).SetString(fmt.Sprint(v))
				if !ok || r.Cmp(new(big.Rat).SetInt64(g.Number)) != 0 {
					t.Errorf("%q: %s is %d, want %s", raw, name, g.Number, v)
				}
			case "string":
				if isText && g.Text != text || !isText && !bytes.Contains(raw, []byte(g.Text)) {
					t.Errorf("%q: %s is %q, want %q", raw, name, g.Text, v)
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
		`{"path":"f","since_version":1.0,"context_lines":-1}`, `{"path":"f","since_version":1e0}`, `{"path":"f","since_version":9007199254740993}`, `{"path":"f","since_version":4503599627370497.5}`, `{"path":"f","limit":1e1000000000}`, `{"path":"f","limit":0.1e1}`,
		`{"path":"\ud800"}`, `{"path":"\ud83d\ude00"}`, `{"path":"\\ud800"}`, "{\"path\":\"\xff\"}", `{"path":"f"}{}`, `{"path":"f"} x`, `{"path":"f",}`, `{"path" "f"}`, `{"all":true}`,
		`{"path":null,"tail":null}`, `{"path":"f","tail":null}`, `{"path":{"a":[1]}}`, `{"path":1.50}`, `{"path":"f","tail":"5"}`, `{"path":"f","all":"true"}`, `{"content":"\u0000"}`, ` { "entry" : "e" } `, `{"path":"f","tail":1E+2}`, `{"pa\u0074h":"f"}`, "{\"pa\xffth\":\"f\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 0 {
			var err error
			if raw, _, err = strictjson.Parse(raw); err != nil {
				return
			}
		}
		for _, tool := range tools(Options{}) {
			a, err := decode(raw, tool.form(true))
			if err != nil {
				if text := shorten(err.Error()); len(text) > 6*errorTokens+5 {
					t.Errorf("the error for %q has %d bytes", raw, len(text))
				}
				continue
			}
			if len(raw) > 0 && string(raw) != "null" {
				a.agrees(t, raw)
			}
			b, err := decode(a.again(t), tool.form(true))
			if err != nil || string(a.again(t)) != string(b.again(t)) {
				t.Errorf("%s of %q = %+v, written and read again %+v, %v", tool.name, raw, a, b, err)
			}
		}
	})
}

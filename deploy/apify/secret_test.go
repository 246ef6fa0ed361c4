package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// testdata/secrets.json was made with the packages of the platform: an input with two
// secrets, and the key and passphrase of its run.
type secrets struct {
	Input      json.RawMessage
	Key        string
	Passphrase string
}

func readSecrets(t *testing.T) (s secrets) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "secrets.json"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	testkit.Must(t, err)
	return s
}

func (s secrets) env() func(string) string {
	return func(name string) string {
		return map[string]string{
			"APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE": s.Key, "APIFY_INPUT_SECRETS_PRIVATE_KEY_PASSPHRASE": s.Passphrase,
			"ANTHROPIC_API_KEY": "of the developer", "OTHER": "other",
		}[name]
	}
}

// The keys of the input are the run's own, and no key of the developer is used beside them.
func TestInputSecrets(t *testing.T) {
	s := readSecrets(t)
	in, err := parseInput(s.Input, s.env())
	testkit.Must(t, err)
	if in.Agent != "planner" || in.OpenAIKey != "sk-test-ö" || in.AccessKey != "open sesame" {
		t.Errorf("parseInput() = %+v", in)
	}
	getenv := in.environment(s.env())
	for name, want := range map[string]string{"OPENAI_API_KEY": "sk-test-ö", "ANTHROPIC_API_KEY": "", "OTHER": "other"} {
		if got := getenv(name); got != want {
			t.Errorf("$%s = %q in the environment of the run, want %q", name, got, want)
		}
	}
	if got := (input{}).environment(s.env())("ANTHROPIC_API_KEY"); got != "of the developer" {
		t.Errorf("$ANTHROPIC_API_KEY of a run without keys = %q", got)
	}
}

// A secret that cannot be decrypted stops the run. The error does not show it.
func TestInputSecretsDamaged(t *testing.T) {
	s := readSecrets(t)
	var fields map[string]string
	testkit.Must(t, json.Unmarshal(s.Input, &fields))
	for name, change := range map[string]func(*secrets, map[string]string){
		"no key":           func(s *secrets, _ map[string]string) { s.Key = "" },
		"wrong passphrase": func(s *secrets, _ map[string]string) { s.Passphrase = "wrong" },
		"changed": func(_ *secrets, f map[string]string) {
			f["openaiApiKey"] = strings.Replace(f["openaiApiKey"], "=", "A", 1)
		},
		"cut": func(_ *secrets, f map[string]string) { f["accessKey"] = f["accessKey"][:len(f["accessKey"])-8] },
		"swapped password": func(_ *secrets, f map[string]string) {
			_, sealed, _ := strings.Cut(strings.TrimPrefix(f["openaiApiKey"], secretPrefix), ":")
			password, _, _ := strings.Cut(strings.TrimPrefix(f["accessKey"], secretPrefix), ":")
			f["openaiApiKey"] = secretPrefix + password + ":" + sealed
		},
	} {
		damaged, changed := s, map[string]string{}
		for k, v := range fields {
			changed[k] = v
		}
		change(&damaged, changed)
		text, _ := json.Marshal(changed)
		if in, err := parseInput(text, damaged.env()); err == nil {
			t.Errorf("%s: parseInput() = %+v, want an error", name, in)
		} else if strings.Contains(err.Error(), "sk-test") {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

// The schema of the input has the fields that the program reads, and hides the secret ones.
func TestInputSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(".actor", "input_schema.json"))
	testkit.Must(t, err)
	var schema struct {
		Properties map[string]struct {
			IsSecret bool
			Default  string
		}
	}
	testkit.Must(t, json.Unmarshal(text, &schema))
	fields := reflect.TypeFor[input]()
	for i := range fields.NumField() {
		name := fields.Field(i).Tag.Get("json")
		property, known := schema.Properties[name]
		if secret := strings.HasSuffix(name, "Key"); !known || property.IsSecret != secret {
			t.Errorf("input %s: in the schema %t, secret %t, want secret %t", name, known, property.IsSecret, secret)
		}
	}
	if len(schema.Properties) != fields.NumField() {
		t.Errorf("the schema has %d fields, the program %d", len(schema.Properties), fields.NumField())
	}
	if in, err := parseInput(nil, func(string) string { return "" }); err != nil || in.Agent != schema.Properties["agent"].Default {
		t.Errorf("without an input the agent is %q, %v; the schema says %q", in.Agent, err, schema.Properties["agent"].Default)
	}
}

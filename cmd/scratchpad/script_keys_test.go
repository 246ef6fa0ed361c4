package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// secretsOf are the secrets of the keys that a script has seen, by its folder.
func secretsOf(ts *testscript.TestScript) []string {
	return strings.Fields(ts.Getenv("SECRETS"))
}

// keyIn returns the API key in a file, such as the output of keys create.
func keyIn(ts *testscript.TestScript, file string) (id, secret string) {
	text := ts.ReadFile(file)
	_, text, found := strings.Cut(text, "sp_")
	if !found || len(text) < 8+1+49 {
		ts.Fatalf("%s has no key: %q", file, ts.ReadFile(file))
	}
	return text[:8], text[9 : 9+49]
}

// keyid FILE VARIABLE sets a variable to the id of the key in a file, and one with _KEY after
// its name to the key. nosecret then looks for its secret.
func scriptKeyID(ts *testscript.TestScript, _ bool, args []string) {
	id, secret := keyIn(ts, args[0])
	ts.Setenv(args[1], id)
	ts.Setenv(args[1]+"_KEY", "sp_"+id+"_"+secret)
	ts.Setenv("SECRETS", strings.Join(append(secretsOf(ts), secret), " "))
}

// nosecret FILE fails if a file has the secret of a key, or half of it.
func scriptNoSecret(ts *testscript.TestScript, _ bool, args []string) {
	secrets := secretsOf(ts)
	if len(secrets) == 0 {
		ts.Fatalf("no secret was noted")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret[:20]) || strings.Contains(text, secret[22:43]) {
			ts.Fatalf("%s has a secret", args[0])
		}
	}
}

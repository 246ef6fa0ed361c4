package main

import (
	"os/exec"
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

// keyid FILE VARIABLE sets a variable to the id of the key in a file.
func scriptKeyID(ts *testscript.TestScript, _ bool, args []string) {
	id, _ := keyIn(ts, args[0])
	ts.Setenv(args[1], id)
}

// secret FILE notes the secret of the key in a file, for nosecret.
func scriptSecret(ts *testscript.TestScript, _ bool, args []string) {
	_, secret := keyIn(ts, args[0])
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

// showkey FILE asks for a key by all of its text. The error must not repeat it.
func scriptShowKey(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	if err := ts.Exec("scratchpad", "keys", "show", text); err == nil {
		ts.Fatalf("it was accepted")
	}
	if _, secret := keyIn(ts, args[0]); strings.Contains(ts.ReadFile("stderr"), secret[:20]) {
		ts.Fatalf("the error repeats the key")
	}
}

// shell LINE runs a line that must fail in a shell.
func scriptShell(ts *testscript.TestScript, _ bool, args []string) {
	if err := ts.Exec("sh", "-c", args[0]); err == nil {
		ts.Fatalf("it ended well")
	} else if _, ok := err.(*exec.ExitError); !ok {
		ts.Fatalf("%v", err)
	}
}

// lines FILE N demands that a file has so many lines.
func scriptLines(ts *testscript.TestScript, _ bool, args []string) {
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); args[1] != "1" || n != 1 {
		ts.Fatalf("%s has %d lines, want %s", args[0], n, args[1])
	}
}

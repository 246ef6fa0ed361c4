package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A mistake in a file for one system, in a test, or in how tests use a package is found, where
// it is one.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.com/m\n\ngo 1.26\n",
		"m.go":               "package m\n\nimport \"syscall\"\n\nfunc F() int { return syscall.Getpid() }\n\nfunc G() { _ = syscall.Dup2 }\n",
		"other/o_windows.go": "package other\n\nfunc F() int { return \"\" }\n",
		"other/o.go":         "package other\n",
		"tests/t.go":         "package tests\n\nfunc f() int { return 1 }\n",
		"tests/in_test.go":   "package tests\n\nvar Inner = f()\n",
		"tests/x_test.go":    "package tests_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/tests\"\n)\n\nfunc TestX(t *testing.T) { t.Log(tests.Inner, tests.Missing) }\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testkit.Must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, c := range []struct{ system, pattern, want string }{
		{"linux/amd64", ".", ""},
		{"linux/arm64", ".", "undefined: syscall.Dup2"}, // it has Dup3 alone
		{"darwin/arm64", ".", ""},
		{"linux/amd64", "./other", ""},
		{"windows/amd64", "./other", "o_windows.go:3:23: cannot use \"\""},
		{"linux/amd64", "./tests", "undefined: tests.Missing"},
		{"linux/amd64", "./none", "go list"},
		{"plan10/amd64", ".", "undefined: Timespec"},
		{"linux/z80", ".", "no system"},
	} {
		n, err := check(dir, c.system, c.pattern)
		if c.want == "" && (err != nil || n != 1) {
			t.Errorf("%s for %s: %d packages, %v, want one and no error", c.pattern, c.system, n, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Inner")) {
			t.Errorf("%s for %s: %v, want an error with %q", c.pattern, c.system, err, c.want)
		}
	}
}

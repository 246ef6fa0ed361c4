package outline_test

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// long says whether the long proofs run too.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

// goRoot is the Go distribution, whose files the tests read.
func goRoot(t testing.TB) string {
	t.Helper()
	root := build.Default.GOROOT
	if _, err := os.Stat(filepath.Join(root, "src", "net", "http")); err != nil {
		t.Skipf("the sources of the Go distribution are not at %q: %v", root, err)
	}
	return root
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

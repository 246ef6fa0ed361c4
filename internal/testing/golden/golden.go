// Package golden compares what a test gets with a file that says what it must be.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Check compares a text with a file. If they differ, the test fails and says which command
// writes the text into the file: go test with -update, which makes Check do so.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n"))
	if err != nil {
		diff = err.Error()
	}
	if diff != "" {
		t.Errorf("%s is another text (-file +test):\n%s\nTo write it: %s", file, diff, command(t.Name()))
	}
}

// command returns the command that updates the files of a test.
func command(test string) string {
	folder, err := os.Getwd()
	for inner := ""; err == nil && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			return fmt.Sprintf("go test ./%s -run '^%s$' -update", inner, test)
		}
		inner = filepath.ToSlash(filepath.Join(filepath.Base(folder), inner))
	}
	return fmt.Sprintf("go test -run '^%s$' -update", test)
}

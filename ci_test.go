package scratchpad_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// ciLog is what go test -v prints for three packages: one with a test that fails beside
// a parallel one, one that does not compile, and one whose time is over.
const ciLog = `# example/c [example/c.test]
c/c_test.go:3:27: undefined: undefined
-test.shuffle 11
=== RUN   TestOne
=== PAUSE TestOne
=== RUN   TestTwo
=== PAUSE TestTwo
=== CONT  TestOne
    a_test.go:3: seed 8
=== CONT  TestTwo
    a_test.go:4: another seed
=== NAME  TestOne
    a_test.go:3: case 7:
        the window is not valid
--- FAIL: TestOne (0.01s)
=== NAME  TestTwo
    a_test.go:4: another line
--- PASS: TestTwo (0.02s)
=== RUN   TestSkipped
    a_test.go:9: not here
--- SKIP: TestSkipped (0.00s)
FAIL
FAIL	example/a	0.015s
-test.shuffle 12
=== RUN   TestFine
    b_test.go:3: fine
--- PASS: TestFine (0.00s)
PASS
ok  	example/b	0.002s
FAIL	example/c [build failed]
-test.shuffle 13
=== RUN   TestWaits
    d_test.go:4: seed 9
=== RUN   TestRuns
    d_test.go:5: runs
--- PASS: TestRuns (0.00s)
=== NAME  TestWaits
panic: test timed out after 2s
	running tests:
		TestWaits (2s)

goroutine 17 [running]:
FAIL	example/d	2.015s
-test.shuffle 14
=== RUN   TestEnds
    e_test.go:3: ends
exit status 3
FAIL	example/e	0.015s
FAIL
`

// CI prints what the failed tests logged, and of other tests nothing. With skips=1 it prints why tests
// were skipped.
func TestCIPrintsFailures(t *testing.T) {
	const want = `-- the compiler
# example/c [example/c.test]
c/c_test.go:3:27: undefined: undefined
-- TestOne	example/a -test.shuffle 11
    a_test.go:3: seed 8
    a_test.go:3: case 7:
        the window is not valid
--- FAIL: TestOne (0.01s)
-- TestWaits	example/d -test.shuffle 13
    d_test.go:4: seed 9
panic: test timed out after 2s
	running tests:
		TestWaits (2s)

goroutine 17 [running]:
-- outside of a test that failed	example/e -test.shuffle 14
    e_test.go:3: ends
`
	const skips = `-- TestSkipped	example/a -test.shuffle 11
    a_test.go:9: not here
--- SKIP: TestSkipped (0.00s)
`
	if diff := cmp.Diff(want+skips, ciFailures(t, ciLog)+ciFailures(t, ciLog, "skips=1")); diff != "" {
		t.Errorf("(- want, + printed):\n%s", diff)
	}
}

// However much a test logs, its beginning, where the seed is, and its end are printed.
func TestCIBoundsFailures(t *testing.T) {
	log := "=== RUN   TestLong\n    a_test.go:3: seed 8\n" + strings.Repeat("    a_test.go:4: "+strings.Repeat("line ", 1000)+"\n", 2000) +
		"    a_test.go:5: the end\n--- FAIL: TestLong (0.01s)\nFAIL\nFAIL\texample/a\t0.015s\n"
	text := ciFailures(t, log, "bytes=4000")
	if len(text) > 7000 || !strings.Contains(text, "seed 8\n") || !strings.HasSuffix(text, "    a_test.go:5: the end\n--- FAIL: TestLong (0.01s)\n") {
		t.Errorf("%d bytes:\n%.2000s", len(text), text)
	}
}

// ciFailures returns what .ci/failures prints for a log. The variables are those of awk.
func ciFailures(t *testing.T, log string, variables ...string) string {
	t.Helper()
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip("there is no awk")
	}
	name := filepath.Join(t.TempDir(), "log")
	testkit.Must(t, os.WriteFile(name, []byte(log), 0o600))
	args := []string{"-f", filepath.Join(".ci", "failures")}
	for _, v := range variables {
		args = append(args, "-v", v)
	}
	text, err := exec.Command("awk", append(args, name)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(text)
}

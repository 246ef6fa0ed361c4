package testkit

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Long reports whether the long proofs are to run: SCRATCHPAD_TEST is "all" or "full".
func Long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" || Full() }

// Full reports whether the long proofs are to run at their full size: SCRATCHPAD_TEST is
// "full". With "all" some of them are shorter, so that CI has the time.
func Full() bool { return os.Getenv("SCRATCHPAD_TEST") == "full" }

// Pick returns the size of a test: plain in go test, long with the long proofs, and full
// with the long proofs at their full size.
func Pick[T any](plain, long, full T) T {
	switch {
	case Full():
		return full
	case Long():
		return long
	}
	return plain
}

// SkipUnlessLong skips a long proof unless the long proofs are to run.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("a long proof; set SCRATCHPAD_TEST=all to run it")
	}
}

// SkipInShort skips a test with -short. Such a test needs other processes, damaged or full
// disks, or many texts, and the race detector finds nothing more in it.
func SkipInShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short")
	}
}

// OnlyInShort lets -short run only the tests whose names match a regular expression, unless
// the command line has -run. TestMain calls it before the tests, where most tests of a package
// would begin with [SkipInShort].
func OnlyInShort(names string) {
	flag.Parse()
	if run := flag.Lookup("test.run"); testing.Short() && run.Value.String() == "" {
		_ = run.Value.Set(names) // the flag takes any text
	}
}

// Checks says how many cases each random test of a package draws, and how many
// steps each case has. Zero leaves rapid's own default.
type Checks struct {
	Checks int // in go test
	Long   int // with the long proofs
	Full   int // with the long proofs at their full size; 0: as Long
	Short  int // in go test -short; 0: as Checks
	Steps  int
}

// Set parses the command line and sets the flags of package rapid that it does not
// give. TestMain calls it before the tests.
func (c Checks) Set() {
	flag.Parse()
	checks := c.Checks
	switch {
	case Full() && c.Full > 0:
		checks = c.Full
	case Long() && c.Long > 0:
		checks = c.Long
	case testing.Short() && c.Short > 0:
		checks = c.Short
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, n := range map[string]int{"rapid.checks": checks, "rapid.steps": c.Steps} {
		if n == 0 || given[name] || flag.Lookup(name) == nil {
			continue
		}
		if err := flag.Set(name, strconv.Itoa(n)); err != nil {
			panic(err)
		}
	}
}

// ScaleChecks makes one random test draw times/by as many cases as the others.
func ScaleChecks(t testing.TB, times, by int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	n, err := strconv.Atoi(before)
	if err == nil {
		err = flag.Set(f.Name, strconv.Itoa(max(1, n*times/by)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(f.Name, before) })
}

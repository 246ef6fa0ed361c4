package conversation_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain keeps the random tests short unless they are asked to be long.
func TestMain(m *testing.M) {
	flag.Parse()
	wanted := map[string]string{"rapid.checks": "200", "rapid.steps": "60"}
	if long() {
		wanted["rapid.checks"] = "5000"
	}
	flag.Visit(func(f *flag.Flag) { delete(wanted, f.Name) })
	for name, value := range wanted {
		if flag.Lookup(name) == nil {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// long reports whether the long proofs are to run.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

package e2e

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// conformance are the scenarios of the suite that are about what the server itself offers, by
// the revision of the protocol, each with its checks that do not pass. The other scenarios
// ask for tools, prompts and resources that the suite makes up.
var conformance = map[string]map[string][]string{
	withHandshake: {
		"completion-complete": nil, "dns-rebinding-protection": nil, "logging-set-level": nil, "ping": nil, "prompts-list": nil, "resources-list": nil,
		"server-initialize": nil, "server-session-lifecycle": nil, "server-sse-multiple-streams": nil, "tools-list": nil,
	},
	stateless: {
		"caching": nil, "completion-complete": nil, "dns-rebinding-protection": nil, "http-header-validation": nil,
		"input-required-result-unsupported-methods": nil, "prompts-list": nil, "resources-list": nil, "sep-2164-resource-not-found": nil,
		"server-sse-multiple-streams": nil, "tools-list": nil,
		"server-stateless": {
			"sep-2575-server-declares-prompts-in-discover",
			"sep-2575-server-rejects-undeclared-capability",
			"sep-2575-missing-capability-http-400",
			"sep-2575-http-server-no-independent-requests-on-stream",
			"sep-2575-server-no-log-without-loglevel",
		}, // they ask for such tools too
	},
}

// The name of a folder of results: server-NAME-TIME.
var resultName = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// The server passes the official suite in both eras. One server serves both.
func TestConformance(t *testing.T) {
	url := process.Serve(t, scratchpadPath, "--db", filepath.Join(t.TempDir(), "test.db"), "--no-auth", "--rate", "0", "--rate-agent", "0")
	for revision, want := range conformance {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
			out, err := node(t, script, "server", "--url", url, "--requirements", revision, "--output-dir", dir).CombinedOutput()
			if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
				t.Fatalf("%v\n%s", err, out)
			}
			all := results(t, dir)
			for name, failing := range want {
				if got, ran := all[name]; !ran || !slices.Equal(got, failing) {
					t.Errorf("%s: ran %v, and %q do not pass, want %q", name, ran, got, failing)
				}
			}
		})
	}
}

// results reads what the suite wrote: the checks of each scenario that do not pass.
func results(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	testkit.Must(t, err)
	all := map[string][]string{}
	for _, file := range files {
		name := resultName.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(readFile(t, file), &checks); err != nil || name == nil || len(checks) == 0 {
			t.Fatalf("%s: %v", file, err)
		}
		var failed []string
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS", "INFO", "SKIPPED":
			default:
				failed = append(failed, c.ID)
			}
		}
		all[name[1]] = failed
	}
	return all
}

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var conformancePath = filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")

// A scenario is the result of a scenario of the suite.
type scenario struct {
	Passed int    // checks
	Failed string // names of the checks that did not pass
}

// conformance has every scenario that the suite runs for a revision. So the test fails if
// a scenario gets worse or better, or goes missing. The scenarios of the protocol itself
// pass. Those that fail need features of the suite's example server that a memory does
// not have: certain tools, resources and prompts, logging, sampling, elicitation, tasks.
var conformance = map[string]map[string]scenario{
	withHandshake: {
		"completion-complete":         {2, ""},
		"dns-rebinding-protection":    {2, ""},
		"logging-set-level":           {2, ""},
		"ping":                        {2, ""},
		"prompts-list":                {2, ""},
		"resources-list":              {2, ""},
		"server-initialize":           {3, ""},
		"server-session-lifecycle":    {3, ""},
		"server-sse-multiple-streams": {1, ""},
		"server-sse-polling":          {0, ""},
		"tools-list":                  {3, ""},

		"elicitation-sep1034-defaults":  {1, "elicitation-sep1034-general"},
		"elicitation-sep1330-enums":     {1, "elicitation-sep1330-general"},
		"json-schema-2020-12":           {1, "json-schema-2020-12-tool-found"},
		"prompts-get-embedded-resource": {1, "prompts-get-embedded-resource"},
		"prompts-get-simple":            {1, "prompts-get-simple"},
		"prompts-get-with-args":         {1, "prompts-get-with-args"},
		"prompts-get-with-image":        {1, "prompts-get-with-image"},
		"resources-read-binary":         {1, "resources-read-binary"},
		"resources-read-text":           {1, "resources-read-text"},
		"resources-subscribe":           {1, "resources-subscribe"},
		"resources-templates-read":      {1, "resources-templates-read"},
		"resources-unsubscribe":         {1, "resources-unsubscribe"},
		"tools-call-audio":              {1, "tools-call-audio"},
		"tools-call-elicitation":        {1, "tools-call-elicitation"},
		"tools-call-embedded-resource":  {1, "tools-call-embedded-resource"},
		"tools-call-error":              {1, "tools-call-error"},
		"tools-call-image":              {1, "tools-call-image"},
		"tools-call-mixed-content":      {1, "tools-call-mixed-content"},
		"tools-call-sampling":           {1, "tools-call-sampling"},
		"tools-call-simple-text":        {1, "tools-call-simple-text"},
		"tools-call-with-logging":       {1, "tools-call-with-logging"},
		"tools-call-with-progress":      {1, "tools-call-with-progress"},
	},
	stateless: {
		"caching":                                   {7, ""},
		"completion-complete":                       {2, ""},
		"dns-rebinding-protection":                  {2, ""},
		"http-header-validation":                    {14, ""},
		"input-required-result-unsupported-methods": {2, ""},
		"input-required-result-validate-input":      {3, ""},
		"prompts-list":                              {2, ""},
		"resources-list":                            {2, ""},
		"sep-2164-resource-not-found":               {4, ""},
		"server-sse-multiple-streams":               {1, ""},
		"tasks-status-notifications":                {0, ""},
		"tools-list":                                {4, ""},

		"http-custom-header-server-validation":          {1, "sep-2243-server-decode-base64 sep-2243-server-no-xmcp-tool sep-2243-server-reject-invalid-param-chars sep-2243-server-reject-param-mismatch sep-2243-server-validate-param-match"},
		"input-required-result-basic-elicitation":       {1, "sep-2322-elicitation-incomplete"},
		"input-required-result-basic-list-roots":        {1, "sep-2322-list-roots-incomplete"},
		"input-required-result-basic-sampling":          {1, "sep-2322-sampling-incomplete"},
		"input-required-result-capability-check":        {1, "sep-2322-respect-client-capabilities"},
		"input-required-result-ignore-extra-params":     {1, "sep-2322-ignore-unexpected-params"},
		"input-required-result-missing-input-response":  {1, "sep-2322-missing-response-rerequests"},
		"input-required-result-multi-round":             {1, "sep-2322-multi-round-r1"},
		"input-required-result-multiple-input-requests": {1, "sep-2322-multiple-inputs-incomplete"},
		"input-required-result-non-tool-request":        {1, "sep-2322-non-tool-incomplete"},
		"input-required-result-request-state":           {1, "sep-2322-request-state-incomplete"},
		"input-required-result-result-type":             {1, "sep-2322-result-type-included"},
		"input-required-result-tampered-state":          {1, "sep-2322-reject-tampered-state"},
		"json-schema-2020-12":                           {1, "json-schema-2020-12-tool-found"},
		"prompts-get-embedded-resource":                 {1, "prompts-get-embedded-resource"},
		"prompts-get-simple":                            {1, "prompts-get-simple"},
		"prompts-get-with-args":                         {1, "prompts-get-with-args"},
		"prompts-get-with-image":                        {1, "prompts-get-with-image"},
		"resources-read-binary":                         {1, "resources-read-binary"},
		"resources-read-text":                           {1, "resources-read-text"},
		"resources-templates-read":                      {1, "resources-templates-read"},
		"server-stateless":                              {23, "sep-2575-http-server-no-independent-requests-on-stream sep-2575-missing-capability-http-400 sep-2575-server-declares-prompts-in-discover sep-2575-server-no-log-without-loglevel sep-2575-server-rejects-undeclared-capability"},
		"tasks-capability-negotiation":                  {1, "sep-2663-server-rejects-undeclared-client sep-2663-tasks-methods-non-declaring tasks-extension-advertised tasks-per-request-meta-opt-in"},
		"tasks-dispatch-and-envelope":                   {3, "sep-2663-durable-create-strong-consistency sep-2663-legacy-task-param-ignored sep-2663-tasks-get-invalid-task-id-32602 tasks-immediate-result-shortcut tasks-result-type-complete-on-non-task-responses tasks-server-directed-creation-no-hint"},
		"tasks-lifecycle":                               {1, "sep-2663-cancel-ack-empty-result sep-2663-result-type-task-on-create sep-2663-tasks-get-status-completed sep-2663-tasks-get-status-failed sep-2663-tasks-get-status-working sep-2663-tool-error-uses-completed-status tasks-cancel-terminal-idempotent-ack tasks-sync-tool-call"},
		"tasks-mrtr-composition":                        {1, "sep-2663-mrtr-synchronous-before-task-creation"},
		"tasks-mrtr-input":                              {1, "sep-2663-tasks-get-status-input-required tasks-mrtr-partial-fulfillment tasks-mrtr-tasks-update-resumes"},
		"tasks-request-headers":                         {2, "sep-2663-routing-headers-accepted-on-tasks-get sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get tasks-headers-tolerate-mcp-method-on-tools-call"},
		"tasks-request-state-removal":                   {1, "tasks-request-state-removal-setup"},
		"tasks-required-task-error":                     {1, "sep-2663-server-returns-missing-capability-when-required"},
		"tasks-wire-fields":                             {1, "tasks-no-early-ttl-expiry tasks-no-related-task-meta-on-inlined-result tasks-wire-field-renames"},
		"tools-call-audio":                              {1, "tools-call-audio"},
		"tools-call-embedded-resource":                  {1, "tools-call-embedded-resource"},
		"tools-call-error":                              {1, "tools-call-error"},
		"tools-call-image":                              {1, "tools-call-image"},
		"tools-call-mixed-content":                      {1, "tools-call-mixed-content"},
		"tools-call-simple-text":                        {1, "tools-call-simple-text"},
		"tools-call-with-progress":                      {1, "tools-call-with-progress"},
	},
}

// The name of a folder of results: server-NAME-TIME.
var resultName = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

func TestConformance(t *testing.T) {
	for revision, want := range conformance {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.Handle("/mcp", newHandler(t))
			server := httptest.NewServer(mux)
			defer server.Close()
			dir := t.TempDir()
			cmd := node(t, conformancePath, "server", "--url", server.URL+"/mcp", "--requirements", revision, "--output-dir", dir)
			out, err := cmd.CombinedOutput() // its exit code says only that something failed
			got := results(t, dir)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("conformance (-want +got):\n%s", diff)
			}
			if len(got) == 0 {
				t.Errorf("conformance: %v\n%s", err, out)
			}
		})
	}
}

// results reads what the suite wrote.
func results(t *testing.T, dir string) map[string]scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]scenario{}
	for _, file := range files {
		name := resultName.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(text, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var s scenario
		var failed []string
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				s.Passed++
			case "FAILURE", "WARNING":
				failed = append(failed, c.ID)
			case "INFO", "SKIPPED":
			default:
				t.Errorf("%s: %s has the status %q", name[1], c.ID, c.Status)
			}
		}
		slices.Sort(failed)
		s.Failed = strings.Join(failed, " ")
		all[name[1]] = s
	}
	return all
}

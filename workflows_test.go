package scratchpad_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var (
	workflowUses  = regexp.MustCompile(`(?m)^[ -]+uses: (.*)$`)
	pinnedAction  = regexp.MustCompile(`^[a-z-]+/[a-z-]+@(v\d+\.\d+\.\d+|[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	workflowImage = regexp.MustCompile(`(?m)\bimage: (\S+)$`)
	pinnedImage   = regexp.MustCompile(`:\d+\.\d+\.\d+-[a-z]+(@sha256:[0-9a-f]{64})?$`)
	releaseGo     = regexp.MustCompile(`(?:golang:|go-version: |GOTOOLCHAIN=go)([\d.]+)`)
	releaseFiles  = []string{"deploy/Dockerfile", "deploy/apify/.actor/Dockerfile", "docs/verify.md", "internal/e2e/image_test.go"}
)

// A workflow takes nothing that changes by itself, has no right that a job does not name, and
// leaves no token beside what it runs. All of them have one version of Go,
// and so have releaseFiles.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(".github", "workflows", "*"))
	testkit.Must(t, err)
	if len(files) < 2 {
		t.Fatalf("the workflows are %q", files)
	}
	var versions []string
	for _, file := range slices.Concat(files, releaseFiles) {
		found := releaseGo.FindAllStringSubmatch(testkit.ReadFile(t, file), -1)
		if found == nil && slices.Contains(releaseFiles, file) {
			t.Errorf("%s names no version of Go", file)
		}
		for _, one := range found {
			versions = append(versions, one[1])
		}
	}
	for _, file := range files {
		for _, fault := range workflowFaults(testkit.ReadFile(t, file)) {
			t.Errorf("%s: %s", file, fault)
		}
	}
	if len(slices.Compact(slices.Clone(versions))) != 1 {
		t.Errorf("the workflows and %q have the versions %q of Go, want one", releaseFiles, versions)
	}
}

// Each rule finds a workflow that breaks it.
func TestWorkflowsFindsFaults(t *testing.T) {
	text := testkit.ReadFile(t, filepath.Join(".github", "workflows", "release.yml")) +
		testkit.ReadFile(t, filepath.Join(".github", "workflows", "ci.yml"))
	action := regexp.MustCompile(`actions/checkout@.*`).FindString(text)
	image := regexp.MustCompile(`golang:\S+`).FindString(text)
	for old, planted := range map[string]string{
		"\npermissions: {}":                     "\npermissions: write-all",
		action:                                  "actions/checkout@v6",
		"\n    timeout-minutes: 60":             "",
		"\n    permissions:\n":                  "\n    name: x\n",
		"persist-credentials: false":            "fetch-tags: true",
		image:                                   "golang:1.26",
		"run: gh release create \"$TAG\"":       "run: gh release create ${{ github.ref_name }}",
		"        run: |\n          mkdir ../re": "        run: |\n          mkdir ${{ github.ref_name }} ../re",
	} {
		if old == "" || !strings.Contains(text, old) {
			t.Errorf("the workflows have no %q for %q", old, planted)
			continue
		}
		if faults := workflowFaults(strings.ReplaceAll(text, old, planted)); len(faults) == 0 {
			t.Errorf("nothing was found with %q for %q", planted, old)
		}
	}
}

// workflowFaults returns the rules that a workflow breaks.
func workflowFaults(text string) (faults []string) {
	if !strings.Contains(text, "\npermissions: {}\n") {
		faults = append(faults, "the rights are not taken away at the top")
	}
	checkouts := 0
	for _, found := range workflowUses.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(found[1], "actions/checkout@") {
			checkouts++
		}
		if !pinnedAction.MatchString(found[1]) && !strings.HasPrefix(found[1], "./") {
			faults = append(faults, found[1]+" has no full version")
		}
	}
	for _, found := range workflowImage.FindAllStringSubmatch(text, -1) {
		if !pinnedImage.MatchString(found[1]) {
			faults = append(faults, found[1]+" has no full version")
		}
	}
	machines := strings.Count(text, "\n    runs-on: ")
	if strings.Count(text, "\n    timeout-minutes: ") < machines || strings.Count(text, "\n    permissions:\n") < machines {
		faults = append(faults, "a job has no time or no rights of its own")
	}
	if checkouts != strings.Count(text, "persist-credentials: false") {
		faults = append(faults, "a checkout keeps its token")
	}
	return append(faults, expressionsInRuns(text)...)
}

// expressionsInRuns finds commands with an expression of GitHub in them. Its value may be
// somebody else's, and becomes a part of the command.
func expressionsInRuns(text string) (faults []string) {
	inRun, depth := false, 0
	for line := range strings.Lines(text) {
		key := strings.TrimLeft(line, " -")
		switch indent := len(line) - len(key); {
		case strings.HasPrefix(key, "run: "):
			inRun, depth = true, indent
		case indent <= depth && key != "\n":
			inRun = false
		}
		if inRun && strings.Contains(line, "${{") {
			faults = append(faults, "a command has an expression in it: "+strings.TrimSpace(line))
		}
	}
	return faults
}

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// sdks are the clients of model providers. They would add 29 MB to the binary. Only
// package memorytool and the adapters of package conversation import them.
var sdks = []string{"github.com/anthropics/anthropic-sdk-go", "github.com/openai/openai-go"}

// linkedSDKs returns the packages of the SDKs that a package links.
func linkedSDKs(t *testing.T, pkg string) []string {
	t.Helper()
	list, err := exec.Command("go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	return slices.DeleteFunc(strings.Fields(string(list)), func(name string) bool {
		return !slices.ContainsFunc(sdks, func(sdk string) bool {
			return name == sdk || strings.HasPrefix(name, sdk+"/")
		})
	})
}

func TestBinaryLinksNoSDK(t *testing.T) {
	if linked := linkedSDKs(t, "."); len(linked) > 0 {
		t.Errorf("the binary links %s", strings.Join(linked, ", "))
	}
}

// The test above must be able to fail.
func TestLinkedSDKsAreSeen(t *testing.T) {
	linked := linkedSDKs(t, "github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg")
	if want := sdks[0] + "/v2"; !slices.Contains(linked, want) {
		t.Errorf("of an adapter's packages %q are found, want %s among them", linked, want)
	}
}

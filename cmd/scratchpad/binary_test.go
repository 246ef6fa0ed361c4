package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// sdks are the clients of model providers. They would add 29 MB to the binary. Only
// package memorytool and the adapters of package conversation import them.
var sdks = []string{"github.com/anthropics/anthropic-sdk-go", "github.com/openai/openai-go"}

func TestBinaryLinksNoSDK(t *testing.T) {
	testkit.SkipInShort(t)
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	testkit.Must(t, err)
	for _, sdk := range sdks {
		if strings.Contains(string(list), sdk) {
			t.Errorf("the binary links %s", sdk)
		}
	}
}

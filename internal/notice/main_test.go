package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A release is for the systems whose licences NOTICE has.
func TestSystems(t *testing.T) {
	config := testkit.ReadFile(t, filepath.Join("..", "..", ".goreleaser.yaml"))
	var released []string
	for _, goos := range list(t, config, "goos") {
		for _, goarch := range list(t, config, "goarch") {
			released = append(released, goos+"/"+goarch)
		}
	}
	if !slices.Equal(released, systems) {
		t.Errorf("systems = %q, and .goreleaser.yaml has %q", systems, released)
	}
}

// list returns the values of a line such as "goos: [linux, darwin]".
func list(t *testing.T, config, key string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(config, " "+key+": [")
	values, _, ok2 := strings.Cut(rest, "]\n")
	if !ok || !ok2 {
		t.Fatalf(".goreleaser.yaml has no list %s", key)
	}
	return strings.Split(values, ", ")
}

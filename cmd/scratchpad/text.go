package main

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// author is [workspace.Author] in JSON.
type author struct {
	Client  string `json:"client,omitempty"`
	Version string `json:"version,omitempty"`
	Key     string `json:"key,omitempty"`
}

// authorOf returns nil if the author is not known.
func authorOf(a workspace.Author) *author {
	if a.Client == "" && a.Version == "" && a.Key == "" {
		return nil
	}
	return &author{Client: a.Client, Version: a.Version, Key: a.Key}
}

func (a *author) String() string {
	if a == nil {
		return ""
	}
	words := []string{a.Client, a.Version}
	if a.Key != "" {
		words = append(words, "key "+a.Key)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

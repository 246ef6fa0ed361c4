package report

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An Author is [workspace.Author] in JSON.
type Author struct {
	Client  string `json:"client,omitempty"`
	Version string `json:"version,omitempty"`
	Key     string `json:"key,omitempty"`
}

// AuthorOf returns nil if the author is not known.
func AuthorOf(a workspace.Author) *Author {
	r := Author{a.Client, a.Version, a.Key}
	if r == (Author{}) {
		return nil
	}
	return &r
}

// String returns the author for people, "" if it is nil.
func (a *Author) String() string {
	if a == nil {
		return ""
	}
	words := []string{a.Client, a.Version}
	if a.Key != "" {
		words = append(words, "key "+a.Key)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

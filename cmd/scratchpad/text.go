package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// timeText returns a time for a table.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// plural returns a number of things in words.
func plural(n int64, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "y"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// humanBytes returns a size for people.
func humanBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 6 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", f, " KMGTPE"[unit])
}

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

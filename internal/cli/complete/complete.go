// Package complete finds what the Tab key offers: the commands, flags and values that fit
// the words of a command line, and the names in a database.
package complete

import (
	"context"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// join returns the words of a command line, at least one. Bash splits --color=al into three words
// and wants only the last one completed: split is how many bytes of the last word it keeps.
func join(raw []string) (words []string, split int) {
	for i := 0; i < len(raw); i++ {
		split = 0
		if last := len(words) - 1; raw[i] == "=" && last >= 0 && strings.HasPrefix(words[last], "--") &&
			!strings.Contains(words[last], "=") {
			words[last] += "="
			split = len(words[last])
			if i++; i < len(raw) {
				words[last] += raw[i]
			}
			continue
		}
		words = append(words, raw[i])
	}
	if words == nil {
		words = []string{""}
	}
	return words, split
}

// LocalFiles stands for the names of files, which the shell knows itself.
const LocalFiles = ":files"

// begin returns the candidates that begin with a text, each with another text before
// it.
func begin(text, before string, all []string) (some []string) {
	for _, s := range all {
		switch {
		case s == LocalFiles:
			some = append(some, s)
		case strings.HasPrefix(s, text):
			some = append(some, before+s)
		}
	}
	return some
}

// firstSentence returns what a shell shows beside a candidate.
func firstSentence(help string) string {
	for _, end := range []string{". ", ": ", "; "} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(help, ".")
}

// The kinds of names.
const (
	Agents = "agents"
	Files  = "files"
	Logs   = "logs"
)

// most is how many names are offered.
const most = 200

// Names returns the names of a kind that begin with a prefix: those of the agents of a service, or of
// the files or logs of an agent. It may return others too. It returns no names if there is an error.
func Names(
	ctx context.Context, svc *workspace.Service, agent func() (string, error), kind, prefix string,
) (names []string) {
	if kind == Agents {
		agents, _ := svc.Agents(ctx, workspace.AgentsQuery{Patterns: []string{prefix + "*"}, Limit: most})
		for _, a := range agents.Agents {
			names = append(names, a.Agent)
		}
		return names
	}
	name, err := agent()
	if err != nil {
		return nil
	}
	look, err := svc.Look(name)
	if err != nil {
		return nil
	}
	o := workspace.ListOptions{Prefix: prefix, Limit: most}
	if kind == Logs {
		logs, _ := look.ListLogs(ctx, o)
		for _, l := range logs.Logs {
			names = append(names, l.Path)
		}
		return names
	}
	files, _ := look.ListFiles(ctx, o)
	for _, f := range files.Files {
		names = append(names, f.Path)
	}
	return names
}

// Package complete finds what the Tab key offers: the commands, flags and values that fit
// the words of a command line, and the names in a database.
package complete

import (
	"context"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Word is a word of the command line. Bash splits --color=al into three words and
// wants only the last one completed.
type Word struct {
	Text  string
	Split int // how many of its bytes the shell keeps
}

// Words joins what Bash has split.
func Words(raw []string) (words []Word) {
	for i := 0; i < len(raw); i++ {
		if n := len(words); raw[i] == "=" && n > 0 && strings.HasPrefix(words[n-1].Text, "--") &&
			!strings.Contains(words[n-1].Text, "=") {
			words[n-1].Text += "="
			words[n-1].Split = len(words[n-1].Text)
			if i++; i < len(raw) {
				words[n-1].Text += raw[i]
			}
			continue
		}
		words = append(words, Word{Text: raw[i]})
	}
	return words
}

// LocalFiles stands for the names of files, which the shell knows itself.
const LocalFiles = ":files"

// Begin returns the candidates that begin with a text, each with another text before
// it.
func Begin(text, before string, all []string) (some []string) {
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

// FirstSentence returns what a shell shows beside a candidate.
func FirstSentence(help string) string {
	for _, end := range []string{". ", ": ", "; "} {
		help, _, _ = strings.Cut(help, end)
	}
	return strings.TrimSuffix(help, ".")
}

// The kinds of names.
const (
	Agents  = "agents"
	Files   = "files"
	Logs    = "logs"
	Keys    = "keys" // their ids, each with a tab and the name of the key
	Tenants = "tenants"
)

// most is how many names are offered.
const most = 200

// Names returns the names of a kind that begin with a prefix: those of a tenant's agents, or
// of an agent's files or logs. It returns no names if there is an error. The database does not
// change.
func Names(ctx context.Context, name, tenant, agent, kind, prefix string) (names []string) {
	store, err := database.OpenReadOnly(ctx, name, database.Options{})
	if err != nil {
		return nil
	}
	defer store.Close()
	if kind == Keys || kind == Tenants {
		return ofServer(ctx, store, kind, prefix)
	}
	// Names are offered for everything that may be stored.
	svc, err := workspace.New(store, workspace.Options{Tenant: tenant, Paths: workspace.UnicodePaths})
	if err != nil {
		return nil
	}
	if kind == Agents {
		agents, _ := svc.Agents(ctx, justBefore(prefix), most)
		for _, a := range agents {
			names = append(names, a.Agent)
		}
		return names
	}
	look, err := svc.Look(agent)
	if err != nil {
		return nil
	}
	page := workspace.ListOptions{Prefix: prefix, Limit: most}
	if kind == Logs {
		logs, _ := look.ListLogs(ctx, page)
		for _, l := range logs.Logs {
			names = append(names, l.Path)
		}
		return names
	}
	files, _ := look.ListFiles(ctx, page)
	for _, f := range files.Files {
		names = append(names, f.Path)
	}
	return names
}

// ofServer returns the ids of keys, or the names of tenants.
func ofServer(ctx context.Context, store workspace.Store, kind, prefix string) (names []string) {
	keys := auth.NewKeys(store, auth.Options{})
	defer keys.Close(ctx)
	add := func(name, help string) {
		if strings.HasPrefix(name, prefix) && len(names) < most {
			names = append(names, name+help)
		}
	}
	if kind == Tenants {
		tenants, _ := keys.Tenants().List(ctx, justBefore(prefix), most)
		for _, t := range tenants {
			add(t.Name, "")
		}
		return names
	}
	for o := (auth.ListOptions{}); len(names) < most; {
		page, err := keys.List(ctx, o)
		for _, k := range page.Keys {
			help := ""
			if k.Name != "" {
				help = "\t" + k.Name
			}
			add(k.ID, help)
		}
		if o.After = page.Next; err != nil || o.After == "" {
			break
		}
	}
	return names
}

// justBefore returns a text that sorts after all agents' names below the prefix, and
// before those that begin with it. No name has the byte 0x7f.
func justBefore(prefix string) string {
	last := len(prefix) - 1
	if last < 0 || prefix[last] == 0 {
		return ""
	}
	return prefix[:last] + string(rune(prefix[last]-1)) + "\x7f"
}

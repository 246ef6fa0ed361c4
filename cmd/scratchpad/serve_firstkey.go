package main

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const (
	firstKeyAgent    = "default" // the agent of all commands that name none
	firstKeyLifetime = 90 * 24 * time.Hour
)

// onTerminal reports whether somebody watches the command: standard input and standard error
// are terminals.
func (p *process) onTerminal() bool { return terminal.Is(p.in) && terminal.Is(p.err) }

// firstKey makes a key for the person who starts a server that has none. It returns what
// the person must read.
func (s *service) firstKey() (text string, err error) {
	agents, err := auth.ParseAgents(firstKeyAgent)
	if err != nil {
		return "", err
	}
	k, key, err := s.keys.Create(s.p.ctx, auth.Grant{
		Tenant: defaultTenant, Name: "the first key", Agents: agents, Scopes: auth.Read | auth.Write,
		Lifetime: firstKeyLifetime,
	})
	if err != nil {
		return "", fmt.Errorf("make the first key: %w", err)
	}
	return fmt.Sprintf(`
This is the first key. It reads and writes the memory of the agent %s until %s.
It is shown only now:

  %s

Set SCRATCHPAD_API_KEY to the key where your client starts, and run the line for clients above.

`, firstKeyAgent, k.Expires.UTC().Format(time.DateOnly), key), nil
}

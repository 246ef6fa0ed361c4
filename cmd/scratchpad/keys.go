package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// keysCommand has the commands about API keys.
type keysCommand struct {
	Create keysCreate `cmd:"" help:"Make a key and print it, this once."`
	Ls     keysLs     `cmd:"" help:"List the keys. Their secrets are not stored, so nobody can list those."`
	Show   keysShow   `cmd:"" help:"Show what a key may do, and when it was used."`
	Set    keysSet    `cmd:"" help:"Change what a key may do, or its name or its end."`
	Rotate keysRotate `cmd:"" help:"Give a key a new secret and print the key. The old secret works for a while longer."`
	Revoke keysRevoke `cmd:"" help:"End keys for good."`
}

// withKeys runs fn on the keys of the database that open opens.
func (p *process) withKeys(open opener, fn func(*auth.Keys) error) error {
	if _, err := p.storedDatabase(); err != nil { // keys in memory would be of no use
		return err
	}
	return p.use(open, func(db *database.Handle) (err error) {
		keys := auth.NewKeys(db.Store(), auth.Options{Limits: p.line.StoreLimits.Options(), Logger: p.log})
		defer func() { err = errors.Join(err, keys.Close(p.ctx)) }()
		return failure.OfKeys(fn(keys))
	})
}

// withKey runs act, which is about one key, and answers with the key.
func (p *process) withKey(open opener, act func(*auth.Keys) (auth.Key, error)) error {
	return p.withKeys(open, func(keys *auth.Keys) error {
		k, err := act(keys)
		if err != nil {
			return err
		}
		r := report.KeyOf(k, time.Now())
		return p.answer(r, p.table(r.Fields()))
	})
}

// needReader refuses to make a secret that nobody would see.
func (p *process) needReader() error {
	if native.IsNull(p.out) {
		return invalid("nothing was changed, because nobody reads standard output, where the key goes; leave it open")
	}
	return nil
}

// printKey prints a key that has a new secret, this once.
func (p *process) printKey(k auth.Key, text string) (report.Key, error) {
	r := report.KeyOf(k, time.Now())
	r.Key = text
	if err := p.say(r, "%s", text); err != nil {
		return r, fmt.Errorf("the key %s is stored, but it could not be printed: %w; end it with scratchpad keys "+
			"revoke %s, and make another", r.ID, err, r.ID)
	}
	return r, nil
}

// parseAgents returns the agents of --agents.
func parseAgents(names []string) (auth.Agents, error) {
	agents, err := auth.ParseAgents(names...)
	return agents, ofFlag("--agents", err)
}

// parseScopes returns the scopes of --scopes.
func parseScopes(names []string) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(names...)
	return scopes, ofFlag("--scopes", err)
}

// ofFlag names the flag whose value is wrong.
func ofFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return invalid("%s: %s", flag, failure.Text(err))
}

package main

import (
	"math"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsCat struct {
	Log   string        `arg:""`
	Since *flags.Number `placeholder:"N" xor:"part" help:"Print only the entries after entry N."`
	Tail  flags.Count   `placeholder:"N" xor:"part,count" help:"Print only the last N entries."`
	Where string        `placeholder:"CONDITIONS" help:"Print only entries of JSON for which all conditions hold."`
	Count bool          `xor:"count" help:"Print only how many entries there are."`
}

// Run prints the entries.
func (c logsCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		head, err := newest(p, ws, c.Log)
		if err != nil {
			return err
		}
		var since int64
		out := p.newEntryWriter()
		switch {
		case c.Since != nil:
			since = int64(*c.Since)
		case c.Tail > 0 && c.Where == "":
			since = max(0, head.Last-int64(c.Tail))
		}
		count := func(n int64) error { return p.say(map[string]int64{"count": n}, "%d", n) }
		if c.Count && c.Where == "" {
			return count(min(head.Total, max(0, head.Last-since)))
		}
		if c.Where != "" {
			if out.where, err = condition.Parse(c.Where); err != nil {
				return invalid("read log %s: --where: %v", c.Log, err)
			}
		}
		if c.Count || c.Where != "" && c.Tail > 0 {
			out.skip = math.MaxInt64
			if _, err := out.copy(p, ws, c.Log, since); err != nil {
				return err
			}
			n := math.MaxInt64 - out.skip
			if c.Count {
				return count(n)
			}
			out.skip = n - int64(c.Tail)
		}
		_, err = out.copy(p, ws, c.Log, since)
		return err
	})
}

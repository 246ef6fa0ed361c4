package flags

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Limits are the flags of [workspace.Limits].
type Limits struct {
	FileBytes  int64 `type:"integer" default:"${file_bytes}" placeholder:"N" help:"Bytes of one version of a file. Default: ${default}."`
	EntryBytes int64 `type:"integer" default:"${entry_bytes}" placeholder:"N" help:"Bytes of one log entry. Default: ${default}."`
	Versions   int64 `type:"integer" default:"${versions}" placeholder:"N" help:"Versions that are kept of each file; older ones are removed. Default: ${default}."`
	Files      int64 `type:"integer" default:"${files}" placeholder:"N" help:"Files of each agent. Default: ${default}."`
	Logs       int64 `type:"integer" default:"${logs}" placeholder:"N" help:"Logs of each agent. Default: ${default}."`
	Entries    int64 `type:"integer" default:"${entries}" placeholder:"N" help:"Log entries of each agent. Default: ${default}."`
	Bytes      int64 `type:"integer" default:"${bytes}" placeholder:"N" help:"Bytes of each agent: all kept versions, entries and summaries, and a charge for each of them. Default: ${default}."`
	Changes    int64 `type:"integer" default:"${changes}" placeholder:"N" help:"Changes that the journal of each agent keeps; older ones are removed. Default: ${default}."`
}

// limit is one of the limits, with its flag.
type limit struct {
	flag             string
	value, byDefault int64
}

func (l Limits) all() []limit {
	d := workspace.DefaultLimits()
	return []limit{
		{"--max-file-bytes", l.FileBytes, d.FileBytes},
		{"--max-entry-bytes", l.EntryBytes, d.EntryBytes},
		{"--max-versions", l.Versions, d.Versions},
		{"--max-files", l.Files, d.Files},
		{"--max-logs", l.Logs, d.Logs},
		{"--max-entries", l.Entries, d.Entries},
		{"--max-bytes", l.Bytes, d.Bytes},
		{"--max-changes", l.Changes, d.Changes},
	}
}

// Validate is kong's hook. Package workspace would take a limit of 0 for the default.
func (l Limits) Validate() error { return checkLimits(l.all(), 1) }

// Args returns the flags that give another process the same limits.
func (l Limits) Args() []string { return limitArgs(l.all()) }

func checkLimits(limits []limit, least int64) error {
	for _, l := range limits {
		if l.value < least {
			return fmt.Errorf("%s must be %d or more, not %d", l.flag, least, l.value)
		}
	}
	return nil
}

func limitArgs(limits []limit) (args []string) {
	for _, l := range limits {
		if l.value != l.byDefault {
			args = append(args, l.flag, fmt.Sprint(l.value))
		}
	}
	return args
}

// StoreLimits are the flags of [workspace.StoreLimits]. Here 0 is no limit.
type StoreLimits struct {
	Agents     int64 `type:"integer" default:"${agents}" placeholder:"N" help:"Agents in the database. 0: no limit. Default: ${default}."`
	TotalBytes int64 `type:"integer" default:"${total_bytes}" placeholder:"N" help:"Bytes of all agents together. 0: no limit. Default: ${default}."`
}

func (l StoreLimits) all() []limit {
	d := workspace.DefaultStoreLimits()
	return []limit{
		{"--max-agents", l.Agents, d.Agents},
		{"--max-total-bytes", l.TotalBytes, d.Bytes},
	}
}

// Validate is kong's hook.
func (l StoreLimits) Validate() error { return checkLimits(l.all(), 0) }

// Args returns the flags that give another process the same limits.
func (l StoreLimits) Args() []string { return limitArgs(l.all()) }

// Options returns the limits as package workspace wants them.
func (l StoreLimits) Options() workspace.StoreLimits {
	none := func(n int64) int64 {
		if n == 0 {
			return -1
		}
		return n
	}
	return workspace.StoreLimits{Agents: none(l.Agents), Bytes: none(l.TotalBytes)}
}

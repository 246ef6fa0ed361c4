package mcpserver

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var usageStats = tool{
	name:        "get_usage_stats",
	description: "Your memory's usage and limits",
	scope:       reads,
	weight:      light,
	run: func(ctx context.Context, ws *workspace.Workspace, _ *arguments) (result, error) {
		u, err := ws.Usage(ctx)
		return result{record: usageRecord{
			AgentID: u.Agent, TotalBytes: u.Bytes, FileCount: u.Files, LogCount: u.Entries, Entries: u.Entries,
			Logs: u.Usage.Logs, TotalOperations: u.Operations,
			MaxBytes: u.Limits.Bytes, MaxFiles: u.Limits.Files, MaxLogs: u.Limits.Logs, MaxEntries: u.Limits.Entries,
		}}, err
	},
}

type usageRecord struct {
	AgentID         string `json:"agent_id"`
	TotalBytes      int64  `json:"total_bytes"`
	FileCount       int64  `json:"file_count"`
	LogCount        int64  `json:"log_count"` // entries; the name is kept for clients that know it
	Entries         int64  `json:"entries"`
	Logs            int64  `json:"logs"`
	TotalOperations int64  `json:"total_operations"`
	MaxBytes        int64  `json:"max_bytes"`
	MaxFiles        int64  `json:"max_files"`
	MaxLogs         int64  `json:"max_logs"`
	MaxEntries      int64  `json:"max_entries"`
}

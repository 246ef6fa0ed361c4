package mcpserver

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var usageStats = tool{
	name:        "get_usage_stats",
	description: "Your memory's usage and limits",
	scope:       reads,
	weight:      light,
	run: func(ctx context.Context, ws *workspace.Workspace, _ *arguments) (result, error) {
		u, err := ws.Usage(ctx)
		if err != nil {
			return result{}, err
		}
		record := strictjson.Object{
			"agent_id", u.Agent, "total_bytes", u.Bytes, "file_count", u.Files,
			"log_count", u.Entries, // the name is kept for clients that know it
			"entries", u.Entries, "logs", u.Logs, "deleted_bytes", u.DeletedBytes,
			"total_operations", u.Operations, "max_bytes", u.Limits.Bytes,
		}
		for _, c := range u.Counts() {
			record = append(record, c.Key(), c.Max)
		}
		return result{record: record}, nil
	},
}

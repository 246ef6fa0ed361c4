package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
)

// ProjectFolder returns the folder of the project that an agent is the memory of, "" if there
// is none. Errors: [ErrInvalid] and those of the store.
func (s *Service) ProjectFolder(ctx context.Context, agentID string) (string, error) {
	if _, err := ParseAgentID(agentID); err != nil {
		return "", err
	}
	folder, err := registry.Projects{Records: s.store.System(ctx), Tenant: s.tenant}.Folder(agentID)
	return folder, within("find the project of", agentID, err)
}

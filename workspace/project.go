package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
)

// Project returns the agent that is the memory of the project in a folder, and records
// nothing. The agent has the name of the folder. If another folder has that agent, or
// the folder is named default, the name ends with a hyphen and 6 hexadecimal digits of
// the hash of the folder's path. The path must be absolute. Links in it are not
// followed. Errors: [ErrInvalid] and those of the store.
func (s *Service) Project(ctx context.Context, folder string) (agent string, err error) {
	err = s.onProjects(ctx, folder, func(p registry.Projects) error { agent, err = p.Agent(folder, false); return err })
	return agent, err
}

// TakeProject returns the same agent as Project, and records that it belongs to the
// folder. An agentID that is not empty is recorded instead, unless it belongs to another
// folder already. Errors: [ErrInvalid] and those of the store.
func (s *Service) TakeProject(ctx context.Context, folder, agentID string) (agent string, err error) {
	agent = agentID
	err = s.onProjects(ctx, folder, func(p registry.Projects) error {
		if agentID == "" {
			agent, err = p.Agent(folder, true)
			return err
		} else if _, err := ParseAgentID(agentID); err != nil {
			return err
		}
		return p.TakeName(folder, agentID)
	})
	return agent, err
}

// ProjectFolder returns the folder that an agent belongs to, "" if it belongs to none.
// Errors: [ErrInvalid] and those of the store.
func (s *Service) ProjectFolder(ctx context.Context, agentID string) (string, error) {
	if _, err := ParseAgentID(agentID); err != nil {
		return "", err
	}
	folder, err := s.projects(ctx).Folder(agentID)
	return folder, within("find the project of", agentID, err)
}

func (s *Service) onProjects(ctx context.Context, folder string, do func(registry.Projects) error) error {
	err := checkContext(ctx)
	if cause := registry.CheckFolder(folder); err == nil && cause != "" {
		err = Errorf(ErrInvalid, "%s", cause)
	}
	if err == nil {
		err = do(s.projects(ctx))
	}
	return within("find the agent of", folder, err)
}

func (s *Service) projects(ctx context.Context) registry.Projects {
	return registry.Projects{Records: s.store.System(ctx), Tenant: s.tenant}
}

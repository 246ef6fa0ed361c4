package project

import (
	"context"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Set gives a folder and all below it the memory of an agent. Errors: [workspace.ErrInvalid] and
// those of the store.
func (r Records) Set(ctx context.Context, folder, agent string) error {
	if _, err := workspace.ParseAgentID(agent); err != nil {
		return err
	}
	return r.rule(ctx, folder, agent)
}

// SetOff says that there is no memory for a folder and all below it. The errors are those of Set.
func (r Records) SetOff(ctx context.Context, folder string) error { return r.rule(ctx, folder, "") }

func (r Records) rule(ctx context.Context, folder, agent string) error {
	place, err := At(folder)
	if err == nil && !utf8.ValidString(place.Folder) {
		err = workspace.Errorf(workspace.ErrInvalid, "the path of the folder is not valid UTF-8; rename it")
	}
	if err != nil {
		return err
	}
	return update(r.system(ctx), folderKey(r, hash(place.Folder)), func(have *rule) bool {
		want := rule{place.Folder, agent}
		changed := *have != want
		*have = want
		return changed
	})
}

package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A StoredSecret is a secret of known form that an agent has stored.
type StoredSecret struct {
	Tenant, Agent, Path string
	Version             int64 // that has it; 0: it is in a log
	Secret
}

// StoredSecrets calls fn for each secret of known form in the retained versions and the log entries
// of all agents of all tenants, deleted files included. It reads all that is stored, with a snapshot
// for each agent. Errors: those of the store.
func StoredSecrets(ctx context.Context, st Store, fn func(StoredSecret)) error {
	for o, err := range store.EveryOwner(ctx, st) {
		if err != nil {
			return within("look through", "agents", err)
		}
		err := st.Dump(ctx, o, func(r store.Row) error {
			found, text := StoredSecret{Tenant: o.Tenant, Agent: o.Agent, Path: r.Path}, []byte(nil)
			switch {
			case r.Version != nil:
				found.Version, text = r.Version.Number, r.Version.Content
			case r.Entry != nil:
				found.Entry, text = r.Entry.ID, r.Entry.Content
			}
			for _, s := range secrets.Find(text) {
				found.Line, found.Kind = s.Line, s.Kind
				fn(found)
			}
			return nil
		})
		if err != nil {
			return within("look through", o.Agent, err)
		}
	}
	return nil
}

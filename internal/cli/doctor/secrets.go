package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// secrets looks for secrets in all that is stored, if that was asked for.
func (r *checkup) secrets(ctx context.Context, store workspace.Store) {
	if !r.o.Secrets {
		return
	}
	const shown = 20
	var places []string
	total := int64(0)
	err := workspace.StoredSecrets(ctx, store, func(s workspace.StoredSecret) {
		if total++; total > shown {
			return
		}
		place := fmt.Sprintf("version %d", s.Version)
		if s.Entry > 0 {
			place = fmt.Sprintf("entry %d", s.Entry)
		}
		agent := s.Agent
		if s.Tenant != "local" {
			agent += " of tenant " + s.Tenant
		}
		places = append(places, fmt.Sprintf("%s of agent %s, %s, line %d (%s)", s.Path, agent, place, s.Line, s.Kind))
	})
	switch {
	case err != nil:
		r.trouble("secrets", err, restore)
	case total == 0:
		r.ok("secrets", "none of known form")
	default:
		if more := total - int64(len(places)); more > 0 {
			places = append(places, fmt.Sprintf("and %d more", more))
		}
		r.warn("secrets", fmt.Sprintf("%s: %s", phrase.Plural(total, "secret"), strings.Join(places, "; ")),
			"Remove each with scratchpad files redact PATH --agent NAME, or logs redact LOG ENTRY, with --tenant NAME "+
				"for one of a tenant, and replace it where it is used.")
	}
}

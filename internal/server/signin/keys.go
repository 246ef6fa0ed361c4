package signin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Keys manages API keys for people with scope admin. It implements [console.Keys] and is
// safe for concurrent use.
//
// The scope metrics is about the whole server, and not about one tenant. Only a person who
// has it gets a key with it.
type Keys struct {
	keys   *auth.Keys
	tenant string
}

// NewKeys returns the keys of a tenant for people who have signed in without a key. For
// the tenant "" it returns the keys of each person's own tenant, which is that of the key
// that the person has signed in with.
func NewKeys(keys *auth.Keys, tenant string) *Keys { return &Keys{keys, tenant} }

// errDenied is for a person who may not manage keys.
var errDenied = workspace.Errorf(workspace.ErrInvalid,
	"your key may not see or change keys; ask the operator for one with the scope admin")

// admin returns the tenant whose keys a person manages. It reads the person's key again,
// which may have changed since the request began.
func (k *Keys) admin(ctx context.Context, p console.Person) (tenant string, err error) {
	switch {
	case !p.Admin:
		return "", errDenied
	case k.tenant != "":
		return k.tenant, nil
	}
	own, err := k.keys.Show(ctx, p.Key)
	if err == nil && (!own.Revoked.IsZero() || !own.Scopes.Has(auth.Admin)) ||
		errors.Is(err, workspace.ErrNotFound) || errors.Is(err, workspace.ErrInvalid) { // "" is no id
		err = errDenied
	}
	return own.Tenant, err
}

// List implements [console.Keys]. A page has up to 100 keys.
func (k *Keys) List(ctx context.Context, p console.Person, after string) (list console.KeyList, err error) {
	tenant, err := k.admin(ctx, p)
	if err != nil {
		return list, err
	}
	page, err := k.keys.List(ctx, auth.ListOptions{Tenant: tenant, After: after})
	if err != nil {
		return list, err
	}
	for _, key := range page.Keys {
		list.Keys = append(list.Keys, shown(p, key, page.Now))
	}
	list.Next = page.Next
	return list, nil
}

// Show implements [console.Keys].
func (k *Keys) Show(ctx context.Context, p console.Person, id string) (found console.Key, err error) {
	key, err := k.find(ctx, p, id)
	if err != nil {
		return found, err
	}
	now, err := k.keys.Now(ctx)
	return shown(p, key, now), err
}

// Create implements [console.Keys].
func (k *Keys) Create(
	ctx context.Context, p console.Person, r console.KeyRequest,
) (made console.Key, text string, err error) {
	g := auth.Grant{Name: r.Name, Lifetime: r.Lifetime}
	if g.Tenant, err = k.admin(ctx, p); err != nil {
		return made, "", err
	}
	if g.Scopes, err = auth.ParseScopes(r.Scopes...); err != nil {
		return made, "", err
	}
	if len(r.Agents) > 0 {
		if g.Agents, err = auth.ParseAgents(r.Agents...); err != nil {
			return made, "", err
		}
	}
	if err := mayHave(p, g.Scopes); err != nil {
		return made, "", err
	}
	key, text, err := k.keys.Create(as(ctx, p), g)
	return shown(p, key, key.Created), text, err
}

// mayHave refuses a person the text of a key that may do what no tenant gives.
func mayHave(p console.Person, scopes auth.Scopes) error {
	if scopes.Has(auth.Metrics) && !p.Metrics {
		return workspace.Errorf(workspace.ErrInvalid,
			"the scope metrics is about the whole server, and your key does not have it; ask the operator for such "+
				"a key")
	}
	return nil
}

// Rotate implements [console.Keys].
func (k *Keys) Rotate(
	ctx context.Context, p console.Person, id string, overlap time.Duration,
) (rotated console.Key, text string, err error) {
	key, err := k.find(ctx, p, id)
	if err == nil {
		err = mayHave(p, key.Scopes)
	}
	if err != nil {
		return rotated, "", err
	}
	used := key.LastUsed
	key, text, err = k.keys.Rotate(as(ctx, p), id, overlap)
	key.LastUsed = used
	return shown(p, key, key.Created), text, err // the key is live, or it would have no new text
}

// Revoke implements [console.Keys].
func (k *Keys) Revoke(ctx context.Context, p console.Person, id string) (revoked console.Key, err error) {
	key, err := k.find(ctx, p, id)
	if err != nil {
		return revoked, err
	}
	used := key.LastUsed
	key, err = k.keys.Revoke(as(ctx, p), id)
	key.LastUsed = used
	return shown(p, key, key.Revoked), err
}

// as returns a context that says who changes a key, for the log.
func as(ctx context.Context, p console.Person) context.Context {
	return auth.NewContext(ctx, auth.Caller{ID: p.ID, Key: p.Key})
}

// find returns a key of the person's tenant.
func (k *Keys) find(ctx context.Context, p console.Person, id string) (key auth.Key, err error) {
	tenant, err := k.admin(ctx, p)
	if err != nil {
		return key, err
	}
	key, err = k.keys.Show(ctx, id)
	if err == nil && key.Tenant != tenant ||
		errors.Is(err, workspace.ErrNotFound) || errors.Is(err, workspace.ErrInvalid) {
		return key, workspace.Errorf(workspace.ErrNotFound, "no key of your tenant has this id; list the keys")
	}
	return key, err
}

// shown returns what a page shows of a key at a time of the store's clock.
func shown(p console.Person, k auth.Key, now time.Time) console.Key {
	return console.Key{
		ID: k.ID, Name: k.Name, Agents: k.Agents.Patterns(), Scopes: strings.Split(k.Scopes.String(), ","),
		Created: k.Created, Expires: k.Expires, Revoked: k.Revoked, LastUsed: k.LastUsed,
		Live: k.Live(now), Own: p.Key != "" && k.ID == p.Key,
	}
}

package workspace

import (
	"bytes"
	"context"
	"errors"

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
// of all agents of all tenants. Kept versions of deleted files are looked at too. It reads all
// that is stored, in many transactions. Errors: those of the store.
func StoredSecrets(ctx context.Context, st Store, fn func(StoredSecret)) error {
	q := store.OwnersQuery{Which: store.AllOwners, Limit: 100}
	for {
		list, err := st.Owners(ctx, q)
		if err != nil {
			return within("look through", "agents", err)
		}
		for _, o := range list.Owners {
			svc, err := New(st, Options{Tenant: o.Owner.Tenant})
			if err != nil {
				return err
			}
			ws, err := svc.Look(o.Owner.Agent)
			if err != nil {
				return err
			}
			found := StoredSecret{Tenant: o.Owner.Tenant, Agent: o.Owner.Agent}
			if err := errors.Join(ws.secretsOfFiles(ctx, found, fn), ws.secretsOfLogs(ctx, found, fn)); err != nil {
				return err
			}
		}
		if len(list.Owners) < q.Limit {
			return nil
		}
		q.After = &list.Owners[len(list.Owners)-1]
	}
}

func (w *Workspace) secretsOfFiles(ctx context.Context, found StoredSecret, fn func(StoredSecret)) error {
	for _, o := range []ListOptions{{}, {Deleted: true}} {
		for more := true; more; {
			page, err := w.ListFiles(ctx, o)
			if err != nil {
				return err
			}
			for _, f := range page.Files {
				found.Path = f.Path
				if err := w.secretsOfVersions(ctx, found, fn); err != nil && !errors.Is(err, ErrNotFound) {
					return err // a file that is gone meanwhile has none
				}
			}
			o.After, more = page.Next, page.More
		}
	}
	return nil
}

func (w *Workspace) secretsOfVersions(ctx context.Context, found StoredSecret, fn func(StoredSecret)) error {
	versions, err := w.History(ctx, found.Path)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if v.Redacted != nil {
			continue
		}
		r, err := w.ReadFile(ctx, found.Path, ReadOptions{Version: v.Version})
		if err != nil {
			return err
		}
		found.Version = v.Version
		found.each(r.Content, fn)
	}
	return nil
}

func (w *Workspace) secretsOfLogs(ctx context.Context, found StoredSecret, fn func(StoredSecret)) error {
	var o ListOptions
	for more := true; more; {
		page, err := w.ListLogs(ctx, o)
		if err != nil {
			return err
		}
		for _, l := range page.Logs {
			found.Path = l.Path
			var from ReadLogOptions
			for rest := true; rest; {
				entries, err := w.ReadLog(ctx, l.Path, from)
				if err != nil {
					return err
				}
				for _, e := range entries.Entries {
					found.Entry = e.ID
					found.each(e.Content, fn)
				}
				from.Since, rest = entries.Last, entries.More
			}
		}
		o.After, more = page.Next, page.More
	}
	return nil
}

// each calls fn for each secret of a text.
func (s StoredSecret) each(text []byte, fn func(StoredSecret)) {
	at := 0
	s.Line = 1
	for _, f := range secrets.Find(text) {
		s.Line += int64(bytes.Count(text[at:f.Start], []byte("\n")))
		s.Kind, at = f.Kind, f.Start
		fn(s)
	}
}

// Package workspace is durable storage for one agent: versioned files with
// diffs, and append-only logs, under limits, isolated from every other agent.
//
// A [Service] stands on a [Store] and gives out a [Workspace] for each agent:
//
//	store, err := sqlite.Open(ctx, "scratchpad.db", sqlite.Options{})
//	svc, err := workspace.New(store, workspace.Options{})
//	ws, err := svc.Agent("agent-1")
//	w, err := ws.WriteFile(ctx, "plan.md", []byte("..."), workspace.WriteOptions{})
//	r, err := ws.ReadFile(ctx, "plan.md", workspace.ReadOptions{Since: w.Version})
//
// To use it: Service, Workspace, and their options and results. Of a workspace,
// [Workspace.Saver] keeps a pad, [Workspace.Journal] a conversation, and
// [Workspace.FS] shows the files as an fs.FS. Store, Reader, Tx and the records
// that they carry are for who writes a backend. An error speaks of arguments by
// the names that an agent knows them by: since_version is ReadOptions.Since,
// old_text the old of EditFile.
//
// Every rule lives here: names, sizes, quotas, versions, conditions, retries,
// hashes, and when a diff is worth sending. A call parses its arguments,
// prepares all that takes time, and then runs one transaction that is already
// bound to its agent; a [Store] keeps records and knows no rule. Bytes go in
// and the same bytes come out: content is UTF-8 text and is never changed.
//
// It is not a database for programs: there are no queries over content, no
// transactions over several calls, and nothing is shared between agents.
package workspace

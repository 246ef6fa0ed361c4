// Package workspace is durable storage for agents. Each agent has versioned files with
// diffs, and append-only logs, under limits, isolated from every other agent.
//
// # Using it
//
// A [Service] uses a [Store] and gives each agent its [Workspace]:
//
//	store, err := sqlite.Open(ctx, "scratchpad.db", sqlite.Options{})
//	svc, err := workspace.New(store, workspace.Options{})
//	ws, err := svc.Agent("agent-1")
//	w, err := ws.WriteFile(ctx, "plan.md", []byte("..."), workspace.WriteOptions{})
//	r, err := ws.ReadFile(ctx, "plan.md", workspace.ReadOptions{Since: w.Version})
//
// These are the methods of a Workspace:
//
//   - Files: [Workspace.WriteFile], [Workspace.EditFile], [Workspace.ReadFile],
//     [Workspace.History], [Workspace.RestoreFile], [Workspace.MoveFile],
//     [Workspace.ListFiles], [Workspace.DeleteFile] and [Workspace.Summarize].
//   - Logs: [Workspace.AppendLog], [Workspace.ReadLog], [Workspace.ListLogs],
//     [Workspace.TrimLog] and [Workspace.DeleteLog].
//   - Both: [Workspace.Search] finds passages in files and logs. [Workspace.Changes] says
//     what has changed since a cursor, and [Workspace.Watch] yields each change as it
//     comes. [Workspace.SetMark] keeps a cursor under a name, for [Workspace.Mark].
//   - Other packages: [Saver] keeps a pad, [Journal] keeps a
//     conversation, and [FS] shows the files as an [io/fs.FS].
//   - The agent: [Workspace.Usage] returns what the agent uses, and its limits.
//     [Workspace.As] sets the author of later writes, and [Workspace.From] their project.
//     [Workspace.FileExtent] tells a server the size of a file before it reads the file.
//
// Most methods take options whose zero value works, and return a result: WriteFile takes
// [WriteOptions] and returns a [WriteResult]. An operator sets limits and the maker of
// summaries in the [Options] of the Service, and lists and deletes agents with its methods.
//
// Content is UTF-8 text. A read returns exactly the bytes that were written.
//
// Every error is an [*Error] or wraps one, except those of [FS] and those of functions
// that the caller passes in. An error wraps one of the kinds, such as [ErrNotFound], or the
// error of a context that ended, or both. [Kind] returns the kind. The fields of an Error say
// what was tried, which limit was met, and what the caller can do. A front end words an
// Error in its own terms with [store.Error.Text].
//
// Package workspace is not a database for programs: it has no index over content and no
// transactions over several calls, and agents share nothing.
//
// # For backends
//
// Package store says what a backend must do, and has the words and the parts of an error. This
// package has aliases for many of its names, such as [Store]: they are the same types.
//
// A backend keeps records and knows no rule. Every rule is in this package, or in an
// internal package below it: names, sizes, quotas, versions, conditions, retries, hashes,
// and when a diff is worth sending. Package storetest is the specification of a backend,
// and package memstore is the smallest one.
package workspace

// Where to begin: service.go and workspace.go, then write.go, transact.go and run.go, which
// every write goes through, and read.go. ports.go has the aliases of package store, where the
// parts and the words of an error are. A summary goes from summary.go to
// internal/summaries. inspect.go and search_agents.go are for operators.

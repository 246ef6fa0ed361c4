// Package memorystores serves the Memory Stores API over the memory of agents, so that the
// official SDKs of that API use a server of one's own unchanged.
//
// A memory store is an agent of the caller's tenant. A store's name,
// description and metadata are the agent's profile. A memory is a file, and its versions are
// the file's. So MCP, the console and the command line have the same memory at the same
// time.
//
//	h := memorystores.New(memorystores.Options{Door: door})
//	http.Handle("/v1/memory_stores/", authenticate(h))
//
// The context of each request carries the caller, as [auth.FromContext] finds it.
package memorystores

// Where to begin:
//
//   - memorystores.go has the options and takes every request, route.go finds its route,
//     request.go reads what came with it.
//   - store.go, storelist.go, memory.go, memorylist.go and version.go are the routes.
//   - id.go has the ids, and cursor.go the positions in lists. object.go has the answers,
//     and failure.go the errors.

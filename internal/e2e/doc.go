// Package e2e holds no code, only tests: mostly real clients of other makers
// against the real binary over stdio, and against [mcpserver.Server.Handler] over
// HTTP on loopback, in both eras of the protocol, and the MCP conformance suite. It
// is a module of its own so that the clients are no dependencies of anybody else.
//
//	cd internal/e2e && go test ./...
//
// It needs Go, npm 9 or newer and a node of any age to run npm with (on Debian,
// apt-get install nodejs npm). The first run installs what package-lock.json
// pins into node_modules, the Node 22 that the clients run on among it; where
// npm has no Node for the system, the one on PATH is used, and must be 22.19 or newer.
//
// session_test.go has the one table of steps and answers that every client must
// see alike, client_test.go and inspector_test.go the clients, target_test.go
// what they talk to, record_test.go the witness between them, exit_test.go how
// processes end, and conformance_test.go the suite.
//
// Two files have no client. terminal_test.go runs the binary on a terminal.
// release_test.go installs and imports the module as a release; it needs a clone with
// git, and reads other modules from the module cache or else from the Go proxy.
//
// Package powercut beside them needs none of this: it cuts the power under a
// database, as root on Linux.
//
// [mcpserver.Server.Handler]: https://pkg.go.dev/github.com/agent-scratchpad/scratchpad/mcpserver#Server.Handler
package e2e

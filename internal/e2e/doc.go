// Package e2e has only tests. Real MCP clients of other makers talk to the real binary
// over stdio and over HTTP, with a key and without one, in both eras of the protocol. The MCP
// conformance suite runs too. The package is a module of its own, so that users of
// Scratchpad do not depend on the clients.
//
//	cd internal/e2e && go test ./...
//
// The tests need Go, npm 9 or newer, and any Node that can run npm (on Debian, apt-get
// install nodejs npm). The first run installs what package-lock.json pins into
// node_modules. The Node 22 for the clients is part of that. If npm has no Node for the
// system, the one on PATH is used. It must be 22.19 or newer.
//
//   - session_test.go has the steps of a session, and the answers that every client
//     must see.
//   - client_test.go runs the clients. server_test.go starts the server, over stdio or HTTP.
//   - inspector_test.go lets the Inspector check the schemas of the tools.
//   - serve_test.go runs all clients with a key at scratchpad serve, and changes the key.
//   - hosts_test.go runs Codex and Claude Code. model_test.go is a model
//     on loopback that makes their calls. plugin_test.go installs the plugin for Claude Code.
//   - conformance_test.go runs the conformance suite, as far as it does not ask for tools,
//     prompts and resources of its own.
//   - process builds the binary once, and runs it as a server, for this package and the
//     others. install installs the clients before the tests do.
//   - terminal_test.go runs the binary on a terminal, without a client.
//   - release_test.go installs and imports the module as a release. It needs a clone
//     with git. It reads other modules from the module cache, or else from the Go proxy.
//   - releasebuild_test.go makes a release with GoReleaser, twice, and uses it. package_test.go
//     installs, upgrades and removes its package in a root of its own. Both are long proofs.
//   - bundle_test.go makes an MCPB bundle with tools/bundle, and uses it.
//   - image_test.go builds the images of deploy with buildah and runs what is in them.
//   - deploy_test.go checks the other files of deploy.
//
// The checks of deploy also need buildah, busybox-static, caddy, mandoc, strace and systemd,
// root for the images, and mmdebstrap for the life of the package, which is a long proof.
//
// Package login needs Go alone. Clients log in at an OpenID provider of another maker.
// Package load needs Go alone, on Linux. Many agents call the real server, which is stopped
// and killed meanwhile. It also measures the speed of the tools.
// Package ha needs Go, PostgreSQL and caddy. Several servers work over one database, and are
// stopped, killed and replaced, as is the database server.
// Package browser needs Go, npm and Chromium. People use the console in a real browser.
// Package memory needs Go and npm. The official SDKs of Anthropic use the memory of
// scratchpad serve, and the memory tool is compared with theirs.
// Package powercut needs nothing of this. It cuts the power under a database, as root on
// Linux.
package e2e

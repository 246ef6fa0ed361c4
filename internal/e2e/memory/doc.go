// Package memory has only tests. The official SDKs of Anthropic for Go and TypeScript,
// unmodified, use the memory of scratchpad serve. Their memory tool is compared with Scratchpad's.
//
//	go test ./memory
//
// The tests need what those of package e2e need.
//
//   - sdk_test.go runs the steps of a session with each SDK, and session_test.go has them.
//     A front stands between an SDK and the server: it records requests and loses answers.
//   - clients_test.go has the SDKs behind one interface.
//   - guide_test.go runs the programs of docs/guide/memory-stores.md.
//   - tool_test.go compares the memory tool with the one of the SDK for TypeScript.
package memory

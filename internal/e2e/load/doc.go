// Package load has only tests, for Linux: the real scratchpad serve, in a process of its
// own, under the load of many agents.
//
//	cd internal/e2e && go test ./load                          # 100 agents, 6 seconds
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -v ./load  # 2,000 agents, 2 minutes
//	cd internal/e2e && go test ./load -run '^$' -bench . -benchtime 1x
//
// In the soak, agents of several tenants call in bursts, with pauses, in both eras of the
// protocol. Some hang up in the middle of a call, some never read, some come back on a new
// connection or with a new session. Meanwhile the server is stopped once and killed once.
// An agent repeats a call with its idempotency key until it is acknowledged. At the end
// every agent's memory must be what its acknowledged calls make: nothing is missing,
// nothing is there twice. And the server must be back where it was: its goroutines,
// descriptors, sessions and memory.
//
//   - soak_test.go has the course of the soak. It compares what is stored with
//     what was acknowledged. agent_test.go has the agents, and those who behave badly.
//   - server_test.go starts servers and reads their metrics. Package process has the client.
//   - speed_test.go measures the tools beside the floor, the least that a server on the
//     same SDK costs. It measures the start and the memory at rest too.
package load

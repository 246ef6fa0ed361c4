// Package load has only tests, for Linux: the real scratchpad serve, in a process of its
// own, under the load of many agents.
//
//	cd internal/e2e && go test ./load                          # 100 agents, 4 seconds
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -v ./load  # 2,000 agents, 2 minutes
//	cd internal/e2e && go test ./load -run '^$' -bench . -benchtime 1x
//
// In the soak, agents of several tenants call in bursts, with pauses, in both eras of the
// protocol. Some hang up in the middle of a call, some come back on a new connection or with a
// new session. Meanwhile the server is stopped once and killed once.
// An agent repeats a call with its idempotency key until it is acknowledged. At the end
// every agent's memory must be what its acknowledged calls make: nothing is missing,
// nothing is there twice. And a server must then hold what one held before: in
// goroutines, descriptors, sessions and memory.
//
//   - soak_test.go has the course of the soak. It compares what is stored with
//     what was acknowledged. agent_test.go has the agents.
//   - server_test.go reads what a server holds. Package process has servers and the client.
//   - speed_test.go measures four tools beside the floor, the least that a server on the
//     same SDK costs. It measures the start and the memory at rest too.
package load

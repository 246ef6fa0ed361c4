// Package ha has only tests. Several processes of scratchpad serve work over one PostgreSQL
// database, are stopped, killed and replaced, and go on when another database server takes
// over. Clients call them over HTTP.
//
//	cd internal/e2e && go test ./ha
//
// The tests need Go, the programs of PostgreSQL, and caddy. A test says what it misses.
// SCRATCHPAD_TEST=full replaces the database server twenty times in place of two, which
// takes some minutes:
//
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -run TestFailover -v -timeout 20m ./ha
//
// Where to begin:
//
//   - server_test.go starts servers. client_test.go has their client, which tries again.
//   - storm_test.go has writers, and a journal of what was acknowledged to them.
//   - failover_test.go replaces the database server under a storm, and the servers.
//   - keys_test.go changes keys.
//   - balancer_test.go runs the proxy of deploy/compose.yaml before three servers.
//   - shared_test.go has a newer schema under servers, and hostile requests to two of them.
package ha

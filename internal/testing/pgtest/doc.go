// Package pgtest runs private PostgreSQL servers for tests. Only tests import it.
//
// [URL] returns an empty database in a server that all tests of the process share.
// It is fast and not durable. [NewCluster] starts a server of the test's own, which a
// test stops, kills, promotes and rewinds. [Bouncer] puts pgbouncer in front of a
// database. [NewProxy] puts a proxy in front that breaks connections as the test says.
//
// The servers listen on Unix sockets in a folder below the folder for temporary files,
// so that test processes that run at the same time cannot meet. The servers end and
// the folder is removed when the test process ends, also when it is killed.
//
// A test is skipped, and says why, where the programs of PostgreSQL are not installed.
// They are looked for in PATH, in /usr/lib/postgresql, and where pg_config says. As
// root, the servers run as the user postgres, or as nobody.
package pgtest

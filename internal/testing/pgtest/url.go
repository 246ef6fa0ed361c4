package pgtest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// URL returns the URL of a new, empty database. It is dropped at the end of the test,
// whoever is connected to it. It is in a server that all tests of the process share,
// which does not sync to disk and takes 300 connections. Texts sort as in English. URL is
// safe for concurrent use.
func URL(t testing.TB) string {
	t.Helper()
	p := need(t)
	s, err := sharedServer(p)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("test%d", databases.Add(1))
	create := "CREATE DATABASE " + name
	if p.version >= 15 {
		create += " STRATEGY FILE_COPY" // takes a fifth of the time where nothing is synced
	}
	if _, err := s.exec(create); err != nil {
		t.Fatalf("create a database: %v\n%s", err, s.logTail())
	}
	t.Cleanup(func() {
		if _, err := s.exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("drop a database: %v\n%s", err, s.logTail())
		}
	})
	return s.url(name)
}

var databases atomic.Int64

// fastSettings are those of a server whose files need not outlive it. Shared memory is
// kept in the server's folder, so that a server that is killed leaves none behind.
func fastSettings() map[string]string {
	return map[string]string{
		"fsync":                      "off",
		"full_page_writes":           "off",
		"max_connections":            "300",
		"shared_buffers":             "32MB",
		"dynamic_shared_memory_type": "mmap",
		"huge_pages":                 "off",
		"max_wal_size":               "256MB",
		"jit":                        "off",
	}
}

var shared struct {
	sync.Mutex
	server *server
	err    error
}

// sharedServer starts the shared server at its first call.
func sharedServer(p programs) (*server, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil || shared.err != nil {
		return shared.server, shared.err
	}
	s, err := newServer(p)
	if err == nil {
		err = s.initialize(fastSettings())
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		shared.err = fmt.Errorf("the shared PostgreSQL: %w", err)
		return nil, shared.err
	}
	shared.server = s
	return s, nil
}

package auth_test

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// spy is a store that counts what is done with its records, and fails on demand.
type spy struct {
	workspace.Store
	reads, writes atomic.Int64                               // Get and List; Put and Delete
	before        atomic.Pointer[func(op, key string) error] // nil: nothing
	afterGet      atomic.Pointer[func(key string)]           // nil: nothing
}

func (s *spy) System(ctx context.Context) workspace.Records {
	return spyRecords{s.Store.System(ctx), s}
}

// onCall sets what is done before each call; an error is the call's.
func (s *spy) onCall(fn func(op, key string) error) { s.before.Store(&fn) }

// failing makes the calls fail whose key begins with a prefix.
func (s *spy) failing(op, prefix string, err error) {
	s.onCall(func(o, key string) error {
		if o == op && strings.HasPrefix(key, prefix) {
			return err
		}
		return nil
	})
}

func (s *spy) call(op, key string, n *atomic.Int64) error {
	n.Add(1)
	if fn := s.before.Load(); fn != nil {
		return (*fn)(op, key)
	}
	return nil
}

type spyRecords struct {
	workspace.Records
	s *spy
}

func (r spyRecords) Get(key string) (workspace.Record, error) {
	if err := r.s.call("get", key, &r.s.reads); err != nil {
		return workspace.Record{}, err
	}
	if fn := r.s.afterGet.Load(); fn != nil {
		defer (*fn)(key)
	}
	return r.Records.Get(key)
}

func (r spyRecords) List(prefix, after string, limit int) ([]workspace.Record, error) {
	if err := r.s.call("list", prefix, &r.s.reads); err != nil {
		return nil, err
	}
	return r.Records.List(prefix, after, limit)
}

func (r spyRecords) Put(key string, value []byte, revision int64) (int64, error) {
	if err := r.s.call("put", key, &r.s.writes); err != nil {
		return 0, err
	}
	return r.Records.Put(key, value, revision)
}

func (r spyRecords) Delete(key string, revision int64) error {
	if err := r.s.call("delete", key, &r.s.writes); err != nil {
		return err
	}
	return r.Records.Delete(key, revision)
}

func (r spyRecords) Now() (time.Time, error) { return r.Records.Now() }

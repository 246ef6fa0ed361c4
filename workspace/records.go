package workspace

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

// shared returns the records of the installation for the packages that use them.
func (s *Service) shared(ctx context.Context) records.Records {
	return sharedRecords{s.store.System(ctx)}
}

// sharedRecords are [Records] in the terms of package records.
type sharedRecords struct{ system Records }

func (r sharedRecords) Get(key string) (records.Record, error) {
	found, err := r.system.Get(key)
	if errors.Is(err, ErrNotFound) {
		return records.Record{}, nil
	}
	return records.Record{Key: found.Key, Value: found.Value, Revision: found.Revision}, err
}

func (r sharedRecords) Put(key string, value []byte, revision int64) (next int64, ok bool, err error) {
	next, err = r.system.Put(key, value, revision)
	if errors.Is(err, ErrConflict) {
		return 0, false, nil
	}
	return next, err == nil, err
}

func (r sharedRecords) Delete(key string, revision int64) (ok bool, err error) {
	err = r.system.Delete(key, revision)
	if errors.Is(err, ErrConflict) || errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// recordPage is how many records List reads at once.
const recordPage = 1000

func (r sharedRecords) List(prefix string) (list []records.Record, err error) {
	for after := ""; ; {
		found, err := r.system.List(prefix, after, recordPage)
		for _, f := range found {
			list = append(list, records.Record{Key: f.Key, Value: f.Value, Revision: f.Revision})
			after = f.Key
		}
		if err != nil || len(found) < recordPage {
			return list, err
		}
	}
}

package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func repositoryKey(r Records, key string) string { return "repository/" + r.Tenant + "/" + key }
func claimKey(r Records, agent string) string    { return "project/" + r.Tenant + "/" + agent }
func folderKey(r Records, key string) string     { return "folder/" + r.Tenant + "/" + key }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// system returns the records of the database, nil if there is none.
func (r Records) system(ctx context.Context) workspace.Records {
	if r.Store == nil {
		return nil
	}
	return r.Store.System(ctx)
}

// A record is a value that was read.
type record[T any] struct {
	workspace.Record
	name  string // what follows the prefix of the key
	value T
}

func decode[T any](r workspace.Record) (value T, err error) {
	if r.Revision > 0 && json.Unmarshal(r.Value, &value) != nil {
		err = workspace.Errorf(workspace.ErrCorrupt, "the record %s cannot be read", r.Key)
	}
	return value, err
}

// get returns the value of a record, the zero value if there is none.
func get[T any](r workspace.Records, key string) (value T, err error) {
	if r == nil {
		return value, nil
	}
	found, err := records.Get(r, key)
	if err != nil {
		return value, err
	}
	return decode[T](found)
}

// all yields the records with a prefix. It ends after an error.
func all[T any](r workspace.Records, prefix string) iter.Seq2[record[T], error] {
	return func(yield func(record[T], error) bool) {
		if r == nil {
			return
		}
		for found, err := range records.All(r, prefix, "") {
			one := record[T]{Record: found, name: strings.TrimPrefix(found.Key, prefix)}
			if err == nil {
				one.value, err = decode[T](found)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// update changes the value of a record if change returns true.
func update[T any](r workspace.Records, key string, change func(*T) (changed bool)) error {
	_, err := records.Update(r, key, func(old workspace.Record) ([]byte, error) {
		value, err := decode[T](old)
		if err != nil || !change(&value) {
			return nil, err
		}
		return json.Marshal(value)
	})
	return err
}

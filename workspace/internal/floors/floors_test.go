package floors_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/floors"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

// memory is records in a map.
type memory map[string]records.Record

func (m memory) Get(key string) (records.Record, error) { return m[key], nil }

func (m memory) Put(key string, value []byte, revision int64) (int64, bool, error) {
	if m[key].Revision != revision {
		return 0, false, nil
	}
	m[key] = records.Record{Key: key, Value: value, Revision: revision + 1}
	return revision + 1, true, nil
}

func (m memory) Delete(string, int64) (bool, error)    { panic("not used") }
func (m memory) List(string) ([]records.Record, error) { panic("not used") }

// A floor is raised number by number, and never lowered.
func TestRaise(t *testing.T) {
	m := memory{}
	key := floors.Key("local", "a")
	if got, err := floors.Read(m, key); err != nil || got != (floors.Floor{}) {
		t.Errorf("Read of no record = %+v, %v, want zero", got, err)
	}
	for _, c := range []struct {
		to, want floors.Floor
		revision int64
	}{
		{floors.Floor{}, floors.Floor{}, 0},
		{floors.Floor{Files: 3, Logs: 5}, floors.Floor{Files: 3, Logs: 5}, 1},
		{floors.Floor{Files: 4, Logs: 1}, floors.Floor{Files: 4, Logs: 5}, 2},
		{floors.Floor{Files: 2, Logs: 6}, floors.Floor{Files: 4, Logs: 6}, 3},
		{floors.Floor{Files: 4, Logs: 6}, floors.Floor{Files: 4, Logs: 6}, 3}, // not written again
	} {
		if err := floors.Raise(m, key, c.to); err != nil {
			t.Fatal(err)
		}
		if got, err := floors.Read(m, key); err != nil || got != c.want || m[key].Revision != c.revision {
			t.Errorf("after Raise(%+v) the floor is %+v at revision %d, %v; want %+v at %d", c.to, got, m[key].Revision, err, c.want, c.revision)
		}
	}
}

// A record that cannot be read is an error, and is left as it is.
func TestDamaged(t *testing.T) {
	key := floors.Key("local", "a")
	m := memory{key: {Key: key, Value: []byte("?"), Revision: 1}}
	var damaged *floors.DamagedError
	if _, err := floors.Read(m, key); !errors.As(err, &damaged) || damaged.Key != key {
		t.Errorf("Read = %v, want a DamagedError", err)
	}
	if err := floors.Raise(m, key, floors.Floor{Files: 1}); !errors.As(err, &damaged) || string(m[key].Value) != "?" {
		t.Errorf("Raise = %v, and the record is %q", err, m[key].Value)
	}
}

// The key depends on the tenant and the agent. It is stored, so it may not change.
func TestKey(t *testing.T) {
	if got := floors.Key("local", "a"); got != "floor/local/ca97" {
		t.Errorf("Key = %s", got)
	}
	if a, b := floors.Key("local", "a"), floors.Key("other", "a"); a == b || !strings.HasPrefix(b, "floor/other/") {
		t.Errorf("the keys of two tenants are %s and %s", a, b)
	}
}

package records_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

// onlyOne has one record.
type onlyOne struct {
	mu     sync.Mutex // guards record
	record records.Record
}

func (o *onlyOne) Get(string) (records.Record, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.record, nil
}

func (o *onlyOne) Put(key string, value []byte, revision int64) (int64, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.record.Revision != revision {
		return 0, false, nil
	}
	o.record = records.Record{Key: key, Value: value, Revision: revision + 1}
	return revision + 1, true, nil
}

func (o *onlyOne) Delete(string, int64) (bool, error)    { return false, errors.ErrUnsupported }
func (o *onlyOne) List(string) ([]records.Record, error) { return nil, errors.ErrUnsupported }

// Many who count in one record lose nothing, and one of them has made it.
func TestUpdate(t *testing.T) {
	var o onlyOne
	var wg sync.WaitGroup
	created := make(chan bool, 100)
	for range cap(created) {
		wg.Go(func() {
			made, err := records.Update(&o, "key", func(r records.Record) ([]byte, error) {
				n, _ := strconv.Atoi(string(r.Value))
				return strconv.AppendInt(nil, int64(n+1), 10), nil
			})
			if err != nil {
				t.Error(err)
			}
			created <- made
		})
	}
	wg.Wait()
	close(created)
	makers := 0
	for made := range created {
		if made {
			makers++
		}
	}
	if string(o.record.Value) != "100" || makers != 1 {
		t.Errorf("after 100 updates the record is %q, made by %d", o.record.Value, makers)
	}
}

func TestUpdateLeavesTheRecord(t *testing.T) {
	o := onlyOne{record: records.Record{Key: "key", Value: []byte("x"), Revision: 7}}
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		made, err := records.Update(&o, "key", func(records.Record) ([]byte, error) { return nil, want })
		if made || err != want || o.record.Revision != 7 {
			t.Errorf("Update = %v, %v, and the record is %+v, want it as it was", made, err, o.record)
		}
	}
}

// busy refuses every Put.
type busy struct{ onlyOne }

func (*busy) Put(string, []byte, int64) (int64, bool, error) { return 0, false, nil }

func TestUpdateGivesUp(t *testing.T) {
	_, err := records.Update(new(busy), "key", func(records.Record) ([]byte, error) { return []byte("x"), nil })
	if err != records.ErrBusy {
		t.Errorf("Update = %v, want ErrBusy", err)
	}
}

package pad_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

type point struct{ X, Y int }

func TestValues(t *testing.T) {
	p := emptyPad(t)
	at := &point{1, 2}
	testkit.Must(t, p.Set("pointer", at))
	testkit.Must(t, p.Set("struct", point{3, 4}))
	testkit.Must(t, p.Set("nil", nil))
	if got, err := pad.Get[*point](p, "pointer"); got != at || err != nil {
		t.Errorf("Get[*point]() = %v, %v, want the pointer itself", got, err)
	}
	if _, err := pad.Get[any](p, "nil"); err != nil {
		t.Errorf("Get[any]() of nil = %v", err)
	}
	if _, err := pad.Get[error](p, "nil"); err != nil {
		t.Errorf("Get[error]() of nil = %v", err)
	}
	var other *pad.TypeError
	if got, err := pad.Get[point](p, "pointer"); got != (point{}) || !errors.As(err, &other) || other.Key != "pointer" || other.Want.Name() != "point" {
		t.Errorf("Get[point]() of a pointer = %v, %v, want a TypeError", got, err)
	}
	if _, err := pad.Get[int](p, "nil"); !errors.As(err, &other) || other.Have != nil {
		t.Errorf("Get[int]() of nil = %v, want a TypeError", err)
	}

	text, err := p.Snapshot().MarshalJSON()
	testkit.Must(t, err)
	s := new(pad.Snapshot)
	testkit.Must(t, s.UnmarshalJSON(text))
	q, err := pad.FromSnapshot(s, pad.Options{})
	testkit.Must(t, err)
	first, err := pad.Get[*point](q, "pointer")
	if err != nil || *first != *at {
		t.Errorf("decoded %v, %v", first, err)
	}
	if again, _ := pad.Get[*point](q, "pointer"); again != first {
		t.Error("it was decoded twice")
	}
	if got, _ := q.Get("pointer"); !cmp.Equal(got, map[string]any{"X": int64(1), "Y": int64(2)}) {
		t.Errorf("untyped Get() = %#v", got)
	}
	first.X = 99 // is forbidden, and yet what is saved is what was read
	if again, err := q.Snapshot().MarshalJSON(); err != nil || !strings.Contains(string(again), `{"X":1,"Y":2}`) {
		t.Errorf("written again: %s, %v", again, err)
	}
	if _, err := pad.Get[string](q, "struct"); !errors.As(err, &other) || other.Have.Kind().String() != "map" {
		t.Errorf("Get[string]() of an object = %v, want a TypeError", err)
	}
	if got, err := pad.Get[fmt.Stringer](q, "struct"); !errors.As(err, &other) {
		t.Errorf("Get[fmt.Stringer]() of an object = %v, %v, want a TypeError", got, err)
	}
	if got, err := pad.Get[any](q, "struct"); err != nil || got == nil {
		t.Errorf("Get[any]() of an object = %v, %v", got, err)
	}
}

func TestValuesWithoutJSON(t *testing.T) {
	cycle := map[string]any{}
	cycle["me"] = cycle
	for name, value := range map[string]any{"chan": make(chan int), "func": func() {}, "NaN": math.NaN(), "Inf": math.Inf(1), "cycle": cycle, "complex": 1i} {
		p := emptyPad(t)
		testkit.Must(t, p.Set("good", 1))
		testkit.Must(t, p.Set("bad "+name, value))
		s := p.Snapshot()
		if text, err := s.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "bad "+name) {
			t.Errorf("MarshalJSON() = %s, %v, want an error that names the key", text, err)
		}
		testkit.Must(t, p.Restore(s)) // this needs no JSON
		if p.Len() != 2 {
			t.Errorf("%s: restored %d entries", name, p.Len())
		}
	}
	far := time.UnixMilli(9e15)
	p, err := pad.New(pad.Options{Now: func() time.Time { return far }})
	testkit.Must(t, err)
	if _, err := p.Snapshot().MarshalJSON(); err == nil {
		t.Error("a time that cannot be read was written")
	}
	testkit.Must(t, p.Set("k", 1))
	if _, err := p.Snapshot().MarshalJSON(); err == nil || !strings.Contains(err.Error(), `"k"`) {
		t.Errorf("MarshalJSON() = %v, want an error that names the key", err)
	}
}

package arrival

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A group of callers whose bodies never get complete leaves half of the memory for bodies
// to others, whoever comes first. Memory that is given back goes to those who wait.
func TestBodiesOfAGroup(t *testing.T) { synctest.Test(t, testBodiesOfAGroup) }

func testBodiesOfAGroup(t *testing.T) {
	in := NewLimit(1000)
	grow := func(group string, bytes int64) (a *Body, granted bool) {
		a = in.Open(group)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		return a, a.Grow(ctx, bytes) == nil
	}
	var slow []*Body
	for range 20 {
		if a, ok := grow("slow", 100); ok {
			slow = append(slow, a)
		}
	}
	if len(slow) != 6 { // one of them is the elder
		t.Errorf("%d bodies of 100 bytes of one group are let in, want 6", len(slow))
	}
	for range 5 {
		if _, ok := grow("other", 100); !ok {
			t.Error("a body of another group waits")
		}
	}
	if held := in.Held(); held != 1000 {
		t.Errorf("%d bytes are held, want 1000", held)
	}
	late := in.Open("slow")
	granted := make(chan error, 1)
	go func() { granted <- late.Grow(t.Context(), 100) }()
	for _, a := range slow {
		a.End()
	}
	if err := <-granted; err != nil || in.groups["slow"] > 100 {
		t.Errorf("a body that waited: %v, its group has %d bytes", err, in.groups["slow"])
	}
}

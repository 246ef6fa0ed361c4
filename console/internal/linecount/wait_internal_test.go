package linecount

import (
	"testing"
	"time"
)

// Nobody waits while the texts of others are compared.
func TestNobodyWaits(t *testing.T) {
	var c Counts
	if _, ok := c.Count(Pair{Of: "a"}, []byte("x"), []byte("y")); !ok {
		t.Fatal("the first texts are not compared")
	}
	c.comparing.Lock() // as a comparison that takes long
	defer c.comparing.Unlock()
	done := make(chan bool)
	go func() {
		_, known := c.Find(Pair{Of: "a"})
		_, counted := c.Count(Pair{Of: "b"}, []byte("x"), []byte("y"))
		done <- known && !counted
	}()
	select {
	case ok := <-done:
		if !ok {
			t.Error("what is known is not found, or others were compared meanwhile")
		}
	case <-time.After(time.Minute):
		t.Error("it waits")
	}
}

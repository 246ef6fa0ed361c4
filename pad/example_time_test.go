package pad_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// With a clock of its own, a test of expiry is exact.
func ExampleOptions_now() {
	now := time.UnixMilli(0)
	p, err := pad.New(pad.Options{Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	p.SetWith("key", "value", pad.SetOptions{TTL: 100 * time.Millisecond})
	for _, ms := range []int64{50, 99, 100} {
		now = time.UnixMilli(ms)
		value, ok := p.Get("key")
		fmt.Println(ms, value, ok)
	}
	// Output:
	// 50 value true
	// 99 value true
	// 100 <nil> false
}

// A sliding TTL keeps a session alive while it is used.
func ExamplePad_SetWith_sliding() {
	now := time.UnixMilli(0)
	p, err := pad.New(pad.Options{Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	err = p.SetWith("session", "abc123", pad.SetOptions{TTL: 30 * time.Second, Expiry: pad.Sliding})
	if err != nil {
		log.Fatal(err)
	}
	for _, wait := range []time.Duration{20 * time.Second, 20 * time.Second, 30 * time.Second} {
		now = now.Add(wait)
		_, ok := p.Get("session")
		fmt.Println(wait, ok)
	}
	// Output:
	// 20s true
	// 20s true
	// 30s false
}

// A handler is called for each entry that a sweep removes. With Options.SweepInterval the
// pad sweeps on its own.
func ExamplePad_On() {
	now := time.UnixMilli(0).UTC()
	p, err := pad.New(pad.Options{Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	stop := p.On(pad.EventExpire, func(e pad.Event) {
		fmt.Printf("expired: %s (created %s)\n", e.Key, e.Entry.CreatedAt.Format(time.TimeOnly))
	})
	defer stop()
	p.On(pad.EventSet, func(e pad.Event) { fmt.Println(e.Kind, e.Key, "again:", e.Update) })
	p.SetWith("temp", "data", pad.SetOptions{TTL: 15 * time.Second})
	p.Set("kept", 1)
	p.Set("kept", 2)
	now = now.Add(20 * time.Second)
	fmt.Println("swept:", p.Sweep())
	// Output:
	// set temp again: false
	// set kept again: false
	// set kept again: true
	// expired: temp (created 00:00:00)
	// swept: 1
}

// A pad can outlive the program. The npm package can read the file.
func ExampleFileSaver() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "scratchpad")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 3 { // three runs of a program
		p, err := pad.New(pad.Options{
			Saver:    pad.FileSaver(filepath.Join(dir, "scratchpad.json")),
			AutoSave: time.Second, // after the last change, and at Close
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := p.Load(ctx); err != nil {
			log.Fatal(err)
		}
		err = pad.Update(p, "progress", func(step int, _ bool) (int, error) { return step + 1, nil })
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Get("progress"))
		if err := p.Close(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 true
	// 2 true
	// 3 true
}

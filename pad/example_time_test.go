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

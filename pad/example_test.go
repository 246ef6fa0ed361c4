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

func Example() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	type user struct {
		ID   int
		Name string
	}
	if err := p.Set("step", "analyze"); err != nil {
		log.Fatal(err)
	}
	if err := p.Set("user", user{42, "Alice"}); err != nil {
		log.Fatal(err)
	}
	step, ok := p.Get("step")
	fmt.Println(step, ok)
	u, err := pad.Get[user](p, "user")
	fmt.Println(u.Name, err)
	fmt.Println(p.Keys())
	// Output:
	// analyze true
	// Alice <nil>
	// [step user]
}

// Take a snapshot before a risky step, and go back to it.
func ExamplePad_Restore() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p.Set("approach", "strategy-A")
	p.Set("findings", []string{"result-1"})
	checkpoint := p.Snapshot()

	p.Set("approach", "strategy-B")
	p.Set("findings", []string{"result-1", "result-2-failed"})
	if err := p.Restore(checkpoint); err != nil {
		log.Fatal(err)
	}
	approach, _ := p.Get("approach")
	findings, err := pad.Get[[]string](p, "findings")
	fmt.Println(approach, findings, err)
	// Output: strategy-A [result-1] <nil>
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

// If the budget is too small, Render keeps the most recently updated entries.
func ExamplePad_Render() {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p, err := pad.New(pad.Options{Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = p.Set("goal", "find out why the nightly build fails")
	_ = p.Set("tried", []string{"clean cache", "older compiler", "another machine"})
	_ = p.Set("log", "the linker ran out of memory at step 7, after it had read all of the object files")
	_ = p.Set("goal", "make the nightly build pass")

	fmt.Println(p.Render(pad.RenderOptions{Header: "# Working memory", MaxTokens: 45}))
	// Output:
	// # Working memory
	// goal: make the nightly build pass
	// log: the linker ran out of memory at step 7, after it had read all of the object files
	// [1 entry left out]
}

// Two branches explore, and Merge brings their results together.
func ExamplePad_Merge() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = p.Set("plan", "undecided")
	base := p.Snapshot()

	left, right := p.Fork(), p.Fork()
	_ = left.Set("cost:rewrite", 30)
	_ = left.Set("plan", "rewrite")
	_ = right.Set("cost:repair", 5)
	_ = right.Set("plan", "repair")

	cheaper := func(c pad.Conflict) pad.Resolution {
		fmt.Printf("%s: %v or %v\n", c.Key, c.Ours.Value, c.Theirs.Value)
		return pad.Theirs()
	}
	for _, branch := range []*pad.Pad{left, right} {
		if _, err := p.Merge(base, branch, cheaper); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(p.Render(pad.RenderOptions{}))
	// Output:
	// plan: rewrite or repair
	// plan: repair
	// cost:rewrite: 30
	// cost:repair: 5
}

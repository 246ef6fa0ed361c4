package pad_test

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

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

// Two branches explore at the same time, and Merge brings their results together.
func ExamplePad_Merge() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = p.Set("plan", "undecided")
	base := p.Snapshot()

	left, right := p.Fork(), p.Fork()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = left.Set("cost:rewrite", 30)
		_ = left.Set("plan", "rewrite")
	}()
	_ = right.Set("cost:repair", 5)
	_ = right.Set("plan", "repair")
	<-done

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

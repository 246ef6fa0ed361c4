package pad_test

import (
	"fmt"
	"log"

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

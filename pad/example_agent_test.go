package pad_test

import (
	"fmt"
	"log"
	"strings"
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

// A ReAct loop keeps the results of its tools, and its own conclusions.
func Example_reactLoop() {
	p, err := pad.New(pad.Options{DefaultTTL: 5 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	note := func(key string, value any, tags ...string) {
		if err := p.SetWith(key, value, pad.SetOptions{Tags: tags}); err != nil {
			log.Fatal(err)
		}
	}
	note("search:result", "order #12345 of Alice is late", "tool-result", "search")
	note("entities:user", "Alice", "entity")
	note("entities:order", "#12345", "entity")
	for range 2 {
		err := pad.Update(p, "steps", func(n int, _ bool) (int, error) { return n + 1, nil })
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, e := range p.FindByTag("entity") {
		fmt.Println(e.Key, "is", e.Value)
	}
	steps, _ := p.Get("steps")
	fmt.Println("after", steps, "steps:", strings.Join(p.Stats().Namespaces, ", "))
	// Output:
	// entities:user is Alice
	// entities:order is #12345
	// after 2 steps: entities, search
}

func ExamplePad_Namespace() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	one, two := p.Namespace("agent1"), p.Namespace("agent2")
	if err := one.Set("plan", "Research the topic"); err != nil {
		log.Fatal(err)
	}
	if err := two.Set("plan", "Draft the response"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(one.Keys(), two.Keys(), p.Keys())
	one.Clear()
	fmt.Println(one.Keys(), two.Keys())
	// Output:
	// [plan] [plan] [agent1:plan agent2:plan]
	// [] [plan]
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

// Try an idea on a fork, and leave the pad as it is.
func ExamplePad_Fork() {
	p, err := pad.New(pad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p.Set("question", "why is the build red?")
	try := p.Fork()
	try.Set("guess", "a flaky test")
	fmt.Println(try.Keys(), p.Keys())
	// Output: [question guess] [question]
}

package scratchpad_test

import (
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad"
)

func Example() {
	pad, err := scratchpad.New(scratchpad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	type user struct {
		ID   int
		Name string
	}
	if err := pad.Set("step", "analyze"); err != nil {
		log.Fatal(err)
	}
	if err := pad.Set("user", user{42, "Alice"}); err != nil {
		log.Fatal(err)
	}
	step, ok := pad.Get("step")
	fmt.Println(step, ok)
	u, err := scratchpad.Get[user](pad, "user")
	fmt.Println(u.Name, err)
	fmt.Println(pad.Keys())
	// Output:
	// analyze true
	// Alice <nil>
	// [step user]
}

// A ReAct loop notes what its tools found, and what it made of that.
func Example_reactLoop() {
	pad, err := scratchpad.New(scratchpad.Options{DefaultTTL: 5 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	note := func(key string, value any, tags ...string) {
		if err := pad.SetWith(key, value, scratchpad.SetOptions{Tags: tags}); err != nil {
			log.Fatal(err)
		}
	}
	note("search:result", "order #12345 of Alice is late", "tool-result", "search")
	note("entities:user", "Alice", "entity")
	note("entities:order", "#12345", "entity")
	for range 2 {
		err := scratchpad.Update(pad, "steps", func(n int, _ bool) (int, error) { return n + 1, nil })
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, e := range pad.FindByTag("entity") {
		fmt.Println(e.Key, "is", e.Value)
	}
	steps, _ := pad.Get("steps")
	fmt.Println("after", steps, "steps:", strings.Join(pad.Stats().Namespaces, ", "))
	// Output:
	// entities:user is Alice
	// entities:order is #12345
	// after 2 steps: entities, search
}

func ExamplePad_Namespace() {
	pad, err := scratchpad.New(scratchpad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	one, two := pad.Namespace("agent1"), pad.Namespace("agent2")
	if err := one.Set("plan", "Research the topic"); err != nil {
		log.Fatal(err)
	}
	if err := two.Set("plan", "Draft the response"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(one.Keys(), two.Keys(), pad.Keys())
	one.Clear()
	fmt.Println(one.Keys(), two.Keys())
	// Output:
	// [plan] [plan] [agent1:plan agent2:plan]
	// [] [plan]
}

// Backtracking: a snapshot before something risky, and back to it.
func ExamplePad_Restore() {
	pad, err := scratchpad.New(scratchpad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pad.Set("approach", "strategy-A")
	pad.Set("findings", []string{"result-1"})
	checkpoint := pad.Snapshot()

	pad.Set("approach", "strategy-B")
	pad.Set("findings", []string{"result-1", "result-2-failed"})
	if err := pad.Restore(checkpoint); err != nil {
		log.Fatal(err)
	}
	approach, _ := pad.Get("approach")
	findings, err := scratchpad.Get[[]string](pad, "findings")
	fmt.Println(approach, findings, err)
	// Output: strategy-A [result-1] <nil>
}

// Two ways tried side by side, each on a fork of what is known.
func ExamplePad_Fork() {
	pad, err := scratchpad.New(scratchpad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pad.Set("question", "why is the build red?")
	try := pad.Fork()
	try.Set("guess", "a flaky test")
	fmt.Println(try.Keys(), pad.Keys())
	// Output: [question guess] [question]
}

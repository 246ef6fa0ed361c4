// Package pad is working memory inside a Go program. A [Pad] holds values under
// keys, in the order in which they were created.
//
//	p, err := pad.New(pad.Options{DefaultTTL: time.Hour})
//	err = p.SetWith("plan", plan, pad.SetOptions{Tags: []string{"prompt"}})
//	plan, err := pad.Get[Plan](p, "plan")
//	prompt := p.Render(pad.RenderOptions{Format: pad.Markdown, MaxTokens: 2000})
//
// The main features:
//
//   - Entries expire a given time after their creation, or after their last access.
//   - [Pad.Namespace] returns a view with keys of its own, for one agent or task.
//   - [Pad.Snapshot] and [Pad.Fork] take about a microsecond, whatever the size. An
//     agent can try something and go back with [Pad.Restore], or explore in parallel
//     and bring the results together with [Pad.Merge].
//   - [Pad.Render] writes a pad into a prompt, within a token budget.
//   - [Pad.On] calls a handler after each change.
//   - A [Saver] keeps a pad in a file ([FileSaver]) or in an agent's workspace. Saved
//     pads can be exchanged with the npm package agent-scratchpad.
//
// A pad is saved as a whole: when the program asks, or after a quiet time. To keep
// each change at once, use package workspace.
package pad

// How it works: entries are immutable. They are in a hash trie, and snapshots share its
// nodes: see package trie and content.go. Get takes no lock: see shared.go. The time of an
// access is stored beside the entry, so that snapshots do not change: see access.go.
// persist.go has Save and Load, saving.go the auto-save, render.go the prompts, and
// delivery.go the events.

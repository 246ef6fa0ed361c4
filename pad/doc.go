// Package pad is working memory inside a Go program. A [Pad] holds values under
// keys, in the order of their creation.
//
//	p, err := pad.New(pad.Options{DefaultTTL: time.Hour})
//	err = p.SetWith("plan", plan, pad.SetOptions{Tags: []string{"prompt"}})
//	plan, err := pad.Get[Plan](p, "plan")
//	prompt := p.Render(pad.RenderOptions{Format: pad.Markdown, MaxTokens: 2000})
//
// Entries expire after a time from their creation, or from their last access.
// [Pad.Namespace] gives each agent a view of its own. [Pad.Snapshot] and [Pad.Fork]
// cost nothing, whatever the size: to try something and come back with
// [Pad.Restore], or to explore in parallel and put the results together with
// [Pad.Merge]. [Pad.On] tells of changes. A [Saver] keeps a pad in a file
// ([FileSaver]) or in an agent's workspace. Its JSON is that of the npm package
// agent-scratchpad.
//
// A pad is not for what must survive at once: it is saved as a whole, when asked or
// when it is quiet. Package workspace is for that.
//
// Inside, the entries are immutable and stand in a hash trie whose nodes pads and
// snapshots share (trie.go). Ordered indexes hold only keys (content.go). A Get
// needs no lock (store.go), and its time of access is kept beside the entry
// (entry.go), so that no snapshot changes.
package pad

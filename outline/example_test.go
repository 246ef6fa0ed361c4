package outline_test

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/outline"
)

func ExampleText_markdown() {
	const notes = `# Release plan

We ship on Friday. Two things are open.

## Before

- [x] Freeze the schema
- [ ] Measure the import again

` + "```sh\n# not a heading\nmake release\n```" + `

## After

Watch the queue for a day. Roll back where it grows.
`
	fmt.Println(outline.Text("plan.md", notes, 0))
	// Output:
	// Markdown, 17 lines, 227 bytes
	// tasks: 1 open, 1 done
	// 1-17 # Release plan
	// 3 We ship on Friday. Two things are open.
	// 5-14 ## Before
	// 7 - [x] Freeze the schema
	// 8 - [ ] Measure the import again
	// 15-17 ## After
	// 17 Watch the queue for a day. Roll back where it grows.
}

func ExampleText_go() {
	const code = `// Package queue holds work until it is done.
package queue

const (
	Retries = 3
	backoff = 10
)

// A Queue is safe for concurrent use.
type Queue struct{ jobs []Job }

// Push adds a job. It never blocks.
func (q *Queue) Push(ctx context.Context, j Job) error {
	return nil
}

func shrink(q *Queue) {}
`
	fmt.Println(outline.Text("queue.go", code, 0))
	// Output:
	// Go, 17 lines, 305 bytes
	// package queue — Package queue holds work until it is done.
	// 5 const Retries = 3
	// 6 const backoff = 10
	// 10 type Queue struct{ jobs []Job } — A Queue is safe for concurrent use.
	// 13 func (q *Queue) Push(ctx context.Context, j Job) error — Push adds a job.
	// 17 func shrink(q *Queue)
}

func ExampleText_json() {
	const data = `{
  "service": "billing",
  "limits": {"cpu": 2, "memory": "1Gi"},
  "replicas": [
    {"host": "a", "port": 8080},
    {"host": "b", "port": 8090, "drain": true}
  ]
}`
	fmt.Println(outline.Text("state.json", data, 0))
	// Output:
	// JSON, object of 3 keys, 8 lines, 168 bytes
	// 2 service: "billing"
	// 3 limits: object of 2 keys
	// 3   cpu: integer 2
	// 3   memory: "1Gi"
	// 4-7 replicas: array of 2
	// -   host: string, e.g. "a"
	// -   port: integer 8080 to 8090
	// -   drain?: bool
}

func ExampleText_log() {
	const log = `2024-05-01T10:00:00Z INFO worker 7 took job 1841
2024-05-01T10:00:02Z INFO worker 3 took job 1842
2024-05-01T10:00:03Z WARN queue holds 120 jobs
2024-05-01T10:00:07Z INFO worker 7 took job 1843
2024-05-01T10:00:09Z ERROR worker 3: disk /dev/sdb is full
2024-05-01T10:00:11Z INFO worker 9 took job 1842
`
	fmt.Println(outline.Text("worker.log", log, 0))
	// Output:
	// Log, 2024-05-01T10:00:00Z to 2024-05-01T10:00:11Z, 6 lines, 302 bytes
	// levels: error 1, warning 1, info 4
	// patterns: 3
	// 5 ERROR worker 3: disk /dev/sdb is full
	// 1-6 ×4 INFO worker N took job N
	// 3 WARN queue holds 120 jobs
}

package intruder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Options of [Run].
type Options struct {
	URL string // of the server's MCP endpoint

	// Intruder and Victim send a request as the one or the other, such as with a key. Many
	// goroutines call them.
	Intruder, Victim func(*http.Request) (*http.Response, error)

	// The agents of the two. The tools of a bound caller do not ask for agent_id.
	IntruderAgent, VictimAgent string
	IntruderBound, VictimBound bool

	// Names are of the victim too, such as that of its tenant. No answer to the intruder may
	// hold one that its request did not hold. The agent's name may be one.
	Names []string

	// Routes are paths of the server besides that of MCP. Some requests go to them, and to
	// paths that are like them. nil: none.
	Routes []string

	// Odd returns headers that some requests have in place of those that Intruder would
	// add, such as two credentials. Many goroutines call it. nil: there are none.
	Odd func(*rand.Rand) http.Header

	Requests int    // of the intruder
	Seed     uint64 // of the generated requests
}

// Report is what [Run] has seen.
type Report struct {
	// Leaks are the requests whose answers showed something of the victim, with the answers,
	// and what of the victim's memory has changed. At most 10.
	Leaks []string

	// Answered counts the requests of each kind and era that did what they asked for. So a
	// test can see that the requests were good enough to find something.
	Answered map[string]int
}

// mark is in everything of the victim, with a number after it, and nowhere else.
const mark = "CANARY7f3a"

var marks = regexp.MustCompile("(?i)" + mark + `\d{3}`)

const workers = 4 // that send the intruder's requests

// often are more calls of some tools: of those that leave something to read, and of those
// that seldom succeed.
var often = []string{
	"write_file", "write_file", "append_log", "append_log", "read_file", "edit_file", "edit_file", "edit_file",
	"edit_file",
	"move_file", "move_file", "summarize_file",
}

// Run makes the victim fill its memory, and sends the intruder's requests. An error means that
// the server did not answer.
func Run(ctx context.Context, o Options) (Report, error) {
	r := &run{o: o, report: Report{Answered: map[string]int{}}}
	victim := &client{url: o.URL, do: o.Victim, name: mark + "000", agent: o.VictimAgent, bound: o.VictimBound}
	intruder := &client{url: o.URL, do: o.Intruder, name: "intruder", agent: o.IntruderAgent, bound: o.IntruderBound}
	if err := errors.Join(victim.begin(ctx), intruder.begin(ctx)); err != nil {
		return Report{}, err
	}
	if err := errors.Join(fill(ctx, victim), intruder.must(ctx, "write_file", `"path":"own","content":"mine"`),
		intruder.must(ctx, "append_log", `"path":"own","entry":"mine"`)); err != nil {
		return Report{}, err
	}
	tools, err := intruder.tools(ctx)
	if err != nil {
		return Report{}, err
	}
	before, err := memory(ctx, victim)
	if err == nil && strings.Count(before, mark) < 100 {
		err = fmt.Errorf("the victim's memory is %s", before)
	}
	if err != nil {
		return Report{}, err
	}
	if err := r.attack(ctx, intruder, victim, tools); err != nil {
		return Report{}, err
	}
	after, err := memory(ctx, victim)
	if err == nil && before != after {
		r.leak("the victim's memory was", before, "and is", after)
	}
	return r.report, err
}

type run struct {
	o Options

	mu     sync.Mutex // guards the following
	report Report
	err    error
}

// attack sends the requests, while the victim works with the same request ids.
func (r *run) attack(ctx context.Context, intruder, victim *client, tools map[string]tool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var busy, work sync.WaitGroup
	busy.Go(func() { r.fail(ctx, r.keepReading(ctx, victim)) })
	for i := range workers {
		g := &generator{
			Rand: rand.New(rand.NewPCG(r.o.Seed,
				uint64(i))), me: intruder, victim: victim, tools: tools, routes: r.o.Routes, odd: r.o.Odd,
			names: slices.Concat(slices.Sorted(maps.Keys(tools)), often),
		}
		work.Go(func() {
			for range (r.o.Requests + workers - 1) / workers {
				if r.failed() {
					return
				}
				r.try(ctx, g)
			}
		})
	}
	work.Wait()
	stop()
	busy.Wait()
	return r.err
}

func (r *run) try(ctx context.Context, g *generator) {
	q := g.next()
	a, err := g.me.send(ctx, q)
	if err != nil {
		r.fail(ctx, err)
		return
	}
	r.mu.Lock()
	if a.good() {
		r.report.Answered[q.kind+" "+q.protocol]++
	}
	r.mu.Unlock()
	if q.path == "" && (q.verb == http.MethodGet || q.verb == http.MethodDelete) && a.status < http.StatusBadRequest {
		r.leak(q.String(), "reaches the victim's session:", a.String())
		return
	}
	if r.shows(q, a) {
		r.leak(q.String(), "is answered with", a.String())
	}
}

// shows reports whether an answer has something of the victim that the request has not.
func (r *run) shows(q request, a answer) bool {
	sent, got := strings.ToLower(q.String()), strings.ToLower(a.String())
	for _, name := range append(marks.FindAllString(got, -1), r.o.Names...) {
		if name = strings.ToLower(name); strings.Contains(got, name) && !strings.Contains(sent, name) {
			return true
		}
	}
	return false
}

func (r *run) leak(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.report.Leaks) < 10 {
		r.report.Leaks = append(r.report.Leaks, strings.Join(texts, "\n"))
	}
}

// fail notes an error, except those after the end.
func (r *run) fail(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		r.err = cmp.Or(r.err, err)
	}
}

func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil || len(r.report.Leaks) == 10
}

// fill writes marks to every kind of place: paths, content, old versions, entries, keys and,
// by the victim's name, authors. Some paths are easy to guess.
func fill(ctx context.Context, v *client) error {
	var errs []error
	for i, path := range []string{"shared", "f", "notes/" + mark + "001", "notes/" + mark + "002"} {
		for version := range 2 {
			text := strings.Repeat(fmt.Sprintf("%s%d%d0 %d\\n", mark, i+1, version, version), 100)
			errs = append(errs, v.must(ctx, "write_file", fmt.Sprintf(`"path":%q,"content":"%s"`, path, text)))
		}
		errs = append(errs, v.must(ctx, "append_log", fmt.Sprintf(`"path":%q,"entry":"%s%d30"`, path, mark, i+1)))
	}
	errs = append(errs, v.mustWith(ctx, "write_file", fmt.Sprintf(`"path":"%s901","content":"%[1]s902"`, mark),
		`,"scratchpad/idempotency_key":"k1"`),
		v.mustWith(ctx, "append_log", fmt.Sprintf(`"path":"%s903","entry":"%[1]s904"`, mark),
			`,"scratchpad/idempotency_key":"k2"`))
	return errors.Join(errs...)
}

// memory returns all that the victim has.
func memory(ctx context.Context, v *client) (string, error) {
	var all strings.Builder
	for _, c := range [][2]string{
		{"list_files", ``}, {"list_logs", ``}, {"changes", `"since":0,"all":true`}, {"read_file",
			`"path":"shared"`}, {"read_file", `"path":"f"`},
		{"read_log", `"path":"shared"`}, {"read_log", `"path":"f"`},
	} {
		a, err := v.send(ctx, v.call(c[0], c[1], ""))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&all, a.body)
	}
	return all.String(), nil
}

// keepReading makes calls of the victim in both eras until the context ends. Each must be
// answered with what the victim wrote.
func (r *run) keepReading(ctx context.Context, v *client) error {
	own := []request{
		v.call("read_file", `"path":"shared"`, ""), v.call("changes", `"since":0,"all":true`, ""),
		v.read("shared"), v.complete("notes/"),
	}
	for id := 0; ctx.Err() == nil; id++ {
		q := own[id%len(own)]
		q.id = fmt.Sprint(1 + id%5)
		if id/len(own)%2 == 0 {
			q.protocol, q.session = legacy, v.session
		}
		a, err := v.send(ctx, q)
		if err != nil {
			return err
		}
		if !a.good() || !strings.Contains(a.body, mark) {
			r.leak("the victim gets for its own "+q.String(), a.String())
			return nil
		}
	}
	return nil
}

// answer is all that a client can see of an answer.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) String() string { return fmt.Sprint(a.status, " ", a.header, "\n", a.body) }

// good reports whether the answer is a result and no error.
func (a answer) good() bool {
	return a.status == http.StatusOK && strings.Contains(a.body, `"result":`) &&
		!strings.Contains(a.body, `"isError":true`)
}

func readAnswer(res *http.Response) (answer, error) {
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(body)}, err
}

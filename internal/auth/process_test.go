package auth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// Keys are rotated, narrowed and revoked, and people sign in and out, while two processes use them all the time. No
// call that begins a second after a change is acknowledged sees what was before, in
// either process, and no call fails that should not. The bug that is planted is a change
// that does not raise the generation.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"sound", "planted"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			wrong := newDuel(t, how).run(t)
			switch {
			case how == "sound" && len(wrong) > 0:
				t.Errorf("%d are wrong; the first: %s", len(wrong), wrong[0])
			case how == "planted" && len(wrong) == 0:
				t.Error("the planted bug was not found")
			}
		})
	}
}

// A duel is two processes on one database.
type duel struct {
	sound   bool // no bug is planted
	servers []*process
	keys    *auth.Keys // of the test's own process
	cases   []expected
}

// expected is what must be true of a credential.
type expected struct {
	name, text  string
	from, until time.Time // refused at no time before from, and never accepted after until; zero: never refused
	narrowed    time.Time // without scope write after that; zero: it always has it
}

func newDuel(t *testing.T, how string) *duel {
	d, path := &duel{sound: how == "sound"}, filepath.Join(t.TempDir(), "keys.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, s.Close()) })
	d.keys = open(t, s)
	for range 2 {
		d.servers = append(d.servers, startProcess(t, path, how))
	}
	return d
}

// run changes keys, and returns what was wrong.
func (d *duel) run(t *testing.T) (wrong []string) {
	d.use(t, expected{name: "a key that nobody changes"}, grant(t, "*"))
	rounds, pause := 1, 50*time.Millisecond
	if testkit.Long() && d.sound {
		rounds, pause = 6, 300*time.Millisecond
	}
	for i := range rounds {
		d.round(t, i, pause)
	}
	time.Sleep(1200 * time.Millisecond) // what was acknowledged last must hold by then
	for i, p := range d.servers {
		seen := p.tell(t, order{Do: "report"}).Seen
		for _, e := range d.cases {
			for _, text := range e.check(seen[e.text]) {
				wrong = append(wrong, fmt.Sprintf("process %d: %s: %s: %+v", i, e.name, text, seen[e.text]))
			}
		}
		p.finish(t)
	}
	return wrong
}

// use creates a key that all processes use from now on.
func (d *duel) use(t *testing.T, e expected, g auth.Grant) (id string, at int) {
	key, text := create(t, d.keys, g)
	e.text = text
	return key.ID, d.add(t, e)
}

func (d *duel) add(t *testing.T, e expected) (at int) {
	for _, p := range d.servers {
		p.tell(t, order{Do: "use", Text: e.text})
	}
	d.cases = append(d.cases, e)
	return len(d.cases) - 1
}

// round changes three keys, each by one of the processes, and ends three sessions: by
// sign-out, with a key and with a secret.
func (d *duel) round(t *testing.T, i int, pause time.Duration) {
	by, other := d.servers[i%2], d.servers[(i+1)%2]
	revoked, atRevoked := d.use(t, expected{name: "a revoked key"}, grant(t, "*"))
	narrow, atNarrow := d.use(t, expected{name: "a narrowed key"}, grant(t, "*"))
	rotated, atRotated := d.use(t, expected{name: "an old secret"}, grant(t, "*"))
	signedOut := d.signIn(t, by, expected{name: "a session that was signed out", text: d.cases[0].text})
	ofRevoked := d.signIn(t, by, expected{name: "a session of a revoked key", text: d.cases[atRevoked].text})
	ofRotated := d.signIn(t, other, expected{name: "a session of an old secret", text: d.cases[atRotated].text})
	time.Sleep(pause)
	for _, p := range d.servers { // on a busy machine they may have used none of them
		p.tell(t, order{Do: "report"})
	}

	begun := time.Now()
	done := other.tell(t, order{Do: "end", Text: d.cases[signedOut].text})
	d.cases[signedOut].from, d.cases[signedOut].until = begun, done.At.Add(time.Second)

	begun = time.Now()
	done = by.tell(t, order{Do: "revoke", ID: revoked})
	for _, at := range []int{atRevoked, ofRevoked} {
		d.cases[at].from, d.cases[at].until = begun, done.At.Add(time.Second)
	}
	done = other.tell(t, order{Do: "narrow", ID: narrow})
	d.cases[atNarrow].narrowed = done.At.Add(time.Second)

	const overlap = 100 * time.Millisecond
	begun = time.Now()
	done = by.tell(t, order{Do: "rotate", ID: rotated, Overlap: overlap})
	for _, at := range []int{atRotated, ofRotated} {
		d.cases[at].from, d.cases[at].until = begun.Add(overlap), done.At.Add(overlap+time.Second)
	}
	d.add(t, expected{name: "a new secret", text: done.Text})
}

// signIn begins a session that all processes use from now on. The text of e is that of
// the key.
func (d *duel) signIn(t *testing.T, by *process, e expected) (at int) {
	e.text = by.tell(t, order{Do: "begin", Text: e.text}).Text
	return d.add(t, e)
}

// check returns what is wrong with what a process saw of a credential.
func (e expected) check(s sight) (wrong []string) {
	if s.Accepted == 0 || s.Unavailable > 0 {
		wrong = append(wrong, "never accepted, or not checked")
	}
	if s.Refused > 0 && (e.from.IsZero() || s.FirstRefused.Before(e.from)) {
		wrong = append(wrong, "refused where it must not be")
	}
	if !e.until.IsZero() && s.LastAccepted.After(e.until) {
		wrong = append(wrong, "accepted more than a second later")
	}
	if !e.until.IsZero() && s.Refused == 0 {
		wrong = append(wrong, "never refused")
	}
	if !e.narrowed.IsZero() && s.LastWide.After(e.narrowed) {
		wrong = append(wrong, "wide more than a second later")
	}
	if !e.narrowed.IsZero() && !s.LastAccepted.After(e.narrowed) {
		wrong = append(wrong, "not used after it was narrowed")
	}
	return wrong
}

// process is this test binary as a server.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func startProcess(t *testing.T, args ...string) *process {
	p := &process{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], args...)}
	p.cmd.Env = append(os.Environ(), roleVariable+"=server")
	p.cmd.Stderr = os.Stderr
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	testkit.Must(t, err)
	stdout, err := p.cmd.StdoutPipe()
	testkit.Must(t, err)
	p.lines = bufio.NewScanner(stdout)
	p.lines.Buffer(nil, 1<<20)
	testkit.Must(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// tell gives an order, and waits until it is done.
func (p *process) tell(t *testing.T, o order) (a answer) {
	t.Helper()
	line, err := json.Marshal(o)
	testkit.Must(t, err)
	_, err = p.stdin.Write(append(line, '\n'))
	testkit.Must(t, err)
	if !p.lines.Scan() {
		t.Fatalf("the process ended: %v", p.lines.Err())
	}
	testkit.Must(t, json.Unmarshal(p.lines.Bytes(), &a))
	if a.Err != "" {
		t.Fatalf("%s: %s", o.Do, a.Err)
	}
	return a
}

// finish ends the process, and demands that it ends well.
func (p *process) finish(t *testing.T) {
	t.Helper()
	testkit.Must(t, p.stdin.Close())
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

package torture

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Display returns a function for [Options.Show], and one that ends the display. On a
// terminal it keeps one line up to date, and removes it at the end. Otherwise it writes a
// line from time to time.
func Display(out io.Writer, terminal bool) (show func(Progress), end func()) {
	every, format := 10*time.Second, "%s\n"
	if terminal {
		every, format = 200*time.Millisecond, "\r\x1b[K%s"
	}
	began := time.Now()
	var mu sync.Mutex // guards now
	var now Progress
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(every); ; {
			select {
			case <-over:
				tick.Stop()
				return
			case <-tick.C:
			}
			mu.Lock()
			p := now
			mu.Unlock()
			p.Elapsed = time.Since(began)
			fmt.Fprintf(out, format, p)
		}
	}()
	show = func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		now = p
	}
	return show, func() {
		close(over)
		<-done
		if terminal {
			fmt.Fprint(out, "\r\x1b[K")
		}
	}
}

// String returns the progress in one line.
func (p Progress) String() string {
	parts := []string{
		fmt.Sprintf("%v", p.Elapsed.Truncate(time.Second)),
		fmt.Sprintf("%d histories checked", p.Histories),
		fmt.Sprintf("%d calls", p.Calls),
		fmt.Sprintf("%d kills", p.Kills),
		fmt.Sprintf("%d stops", p.Stops),
		fmt.Sprintf("%d terminated", p.Terminated),
		fmt.Sprintf("%d unknown outcomes", p.Unknown),
		fmt.Sprintf("%d failures", p.Failures),
	}
	if p.Undecided > 0 {
		parts = append(parts, fmt.Sprintf("%d undecided", p.Undecided))
	}
	return strings.Join(parts, ", ")
}

// Print writes the report for people. again is the command that runs a failure again, but for
// its seed and its round.
func (r Report) Print(out io.Writer, again string) error {
	var b strings.Builder
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "FAILED    round %d of seed %d: %s\n", f.Round, f.Seed, f.Problem)
		if f.File != "" {
			fmt.Fprintf(&b, "history   %s\n", f.File)
		}
		if r.Kept != "" {
			fmt.Fprintf(&b, "kept      %s\n", r.Kept)
		}
		fmt.Fprintf(&b, "again     %s --seed %d --round %d\n", again, f.Seed, f.Round)
	}
	verdict := "ok"
	if len(r.Failures) > 0 {
		verdict = "stopped"
	}
	fmt.Fprintf(&b, "%-8s  %v\n", verdict, r.Progress)
	fmt.Fprintf(&b, "          seed %d; %d calls were sent again with their keys; %d writes of other agents; %s\n",
		r.Seed, r.Retries, r.Canaries, r.Database)
	_, err := io.WriteString(out, b.String())
	return err
}

package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// minRedraw is the time that a line stands still, so that drawing costs nothing.
const minRedraw = 100 * time.Millisecond

// Progress returns a function that shows on a line what is done, and how much of it in
// per cent, and one that removes the line. Several goroutines may call both. The line is on
// out. If that is not a terminal, there is no line and show is nil.
func Progress(out io.Writer, what string) (show func(done, total int64), end func()) {
	if !Is(out) {
		return nil, func() {}
	}
	p := &progress{out: out, what: what}
	return p.show, p.end
}

type progress struct {
	out  io.Writer
	what string

	mu    sync.Mutex // guards the following
	drawn time.Time  // zero: there is no line
	ended bool
}

// show draws the line, over that of another progress on the same terminal.
func (p *progress) show(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || time.Since(p.drawn) < minRedraw {
		return
	}
	share := float64(min(done, total)) / float64(max(total, 1))
	fmt.Fprintf(p.out, "\r%s %3d%%", p.what, int(100*share))
	p.drawn = time.Now()
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn.IsZero() && !p.ended {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", len(p.what)+len(" 100%")))
	}
	p.ended = true
}

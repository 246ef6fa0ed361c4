package terminal

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Unit is what a progress bar counts.
type Unit int

// Units. The zero value counts nothing and shows a share.
const (
	Share Unit = iota
	Bytes
	Count
)

// minRedraw is the time that a bar stands still, so that drawing costs nothing.
const minRedraw = 100 * time.Millisecond

// Progress returns a function that shows on a bar how much is done, and one that
// removes the bar. Several goroutines may call both. The bar is on out. If that is not
// a terminal, there is no bar and show is nil.
func Progress(out io.Writer, what string, unit Unit) (show func(done, total int64), end func()) {
	if !Is(out) {
		return nil, func() {}
	}
	b := &bar{out: out, what: what, unit: unit, began: time.Now()}
	return b.show, b.end
}

// A bar is one line of a terminal.
type bar struct {
	out   io.Writer
	what  string
	unit  Unit
	began time.Time

	mu    sync.Mutex // guards the following
	drawn time.Time  // zero: no line is there
	width int        // columns of the line that is there
	ended bool
}

func (b *bar) show(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || !b.drawn.IsZero() && time.Since(b.drawn) < minRedraw {
		return
	}
	columns := 80
	if f, ok := b.out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			columns = n
		}
	}
	b.clear()
	line := progressLine(b.what, b.unit, done, total, time.Since(b.began), columns-1)
	io.WriteString(b.out, line)
	b.drawn, b.width = time.Now(), len(line)
}

func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	b.ended = true
}

// clear empties the line. It needs no escape sequence. The lock must be held.
func (b *bar) clear() {
	if b.width > 0 {
		io.WriteString(b.out, "\r"+strings.Repeat(" ", b.width)+"\r")
		b.width = 0
	}
}

// progressLine returns a line of at most the given columns, in ASCII:
//
//	copying  45% [====>     ] 1.2/2.7 GiB, 8s left
//
// The time that is left supposes the rate so far, and is missing before there is one. A
// narrow line has no bar, or not all of the text.
func progressLine(what string, unit Unit, done, total int64, elapsed time.Duration, columns int) string {
	total = max(total, 1)
	done = min(max(done, 0), total)
	share := float64(done) / float64(total)
	before := fmt.Sprintf("%s %3d%% ", what, int(share*100))
	var after []string
	switch unit {
	case Bytes:
		after = append(after, progressBytes(done, total))
	case Count:
		after = append(after, fmt.Sprintf("%d/%d", done, total))
	}
	if left := elapsed.Seconds() / share * (1 - share); done > 0 && left < (100*time.Hour).Seconds() {
		after = append(after, time.Duration(left*float64(time.Second)).Round(time.Second).String()+" left")
	}
	line := before
	if room := columns - len(before) - len("[] ") - len(strings.Join(after, ", ")); room >= 8 {
		n := int(share * float64(room))
		drawn := strings.Repeat("=", n)
		if n < room {
			drawn += ">" + strings.Repeat(" ", room-n-1)
		}
		line += "[" + drawn + "] "
	}
	line += strings.Join(after, ", ")
	return line[:min(len(line), max(columns, 0))]
}

// progressBytes returns two sizes in the unit that suits the second, such as 1.2/2.7 GiB.
func progressBytes(done, total int64) string {
	step := min((bits.Len64(uint64(total))-1)/10, 4)
	if step == 0 {
		return fmt.Sprintf("%d/%d B", done, total)
	}
	one := float64(int64(1) << (10 * step))
	return fmt.Sprintf("%.1f/%.1f %ciB", float64(done)/one, float64(total)/one, "KMGT"[step-1])
}

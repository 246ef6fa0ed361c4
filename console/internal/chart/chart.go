// Package chart draws small line charts as SVG for a page. A chart takes its colours from
// the page's style: it has classes and no style of its own.
package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// The size of the drawing area, in units of its viewBox. The style gives the size on screen.
const (
	width  = 240
	height = 40
)

// columns is the most columns of a line. More values than that share them.
const columns = 80

// A Chart is a line of values that were measured at even times.
type Chart struct {
	Name   string    // what is measured, such as "Calls"
	Values []float64 // oldest first. What is not finite is a gap

	// Unit is that of the values: "B" for bytes, "s" for seconds, "/s" for a rate, or any
	// other text, which follows the number. "": the number alone.
	Unit string
}

// HTML returns a figure: the name, the last value, the line, the least and the most. Its
// length is bounded, whatever the values are. The text alternative of the line says the
// same in words. Missing values break the line; a last value that is missing is shown as a
// dash.
func (c Chart) HTML() template.HTML {
	least, most, known := span(c.Values)
	last, now := "–", "no value now"
	if n := len(c.Values); n > 0 && finite(c.Values[n-1]) {
		last = word(c.Values[n-1], c.Unit)
		now = "now " + last
	}
	var b strings.Builder
	text := template.HTMLEscapeString
	fmt.Fprintf(&b, `<figure><figcaption>%s <b>%s</b></figcaption>`, text(c.Name), text(last))
	alternative := c.Name + ": no values yet"
	if known > 0 {
		alternative = fmt.Sprintf("%s: %s, least %s, most %s", c.Name, now, word(least, c.Unit), word(most, c.Unit))
		if missing := len(c.Values) - known; missing > 0 {
			alternative += fmt.Sprintf(", %d of %d values missing", missing, len(c.Values))
		}
	}
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">`, width, height, text(alternative))
	if known > 0 {
		line, area := c.paths(scale{math.Min(least, 0), math.Max(most, 0)})
		fmt.Fprintf(&b, `<path class="area" d="%s"/><path class="line" fill="none" stroke-linecap="round" d="%s"/>`, area, line)
	}
	b.WriteString(`</svg>`)
	if known > 0 {
		fmt.Fprintf(&b, `<div class="ax"><span>least %s</span><span>most %s</span></div>`, text(word(least, c.Unit)), text(word(most, c.Unit)))
	} else {
		b.WriteString(`<div class="ax"><span>no values yet</span></div>`)
	}
	b.WriteString(`</figure>`)
	return template.HTML(b.String())
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// span returns the least and the greatest value, and how many there are.
func span(values []float64) (least, most float64, known int) {
	for _, v := range values {
		switch {
		case !finite(v):
			continue
		case known == 0:
			least, most = v, v
		}
		least, most = math.Min(least, v), math.Max(most, v)
		known++
	}
	return least, most, known
}

// A scale is the range of values that the height shows. It includes 0.
type scale struct{ low, high float64 }

// y returns the height of a value, from the top. Halves keep the range finite.
func (s scale) y(v float64) int {
	size := s.high/2 - s.low/2
	if size == 0 {
		return height // all is 0, or as near as makes no difference
	}
	return height - int(math.Round((v/2-s.low/2)/size*height))
}

// A column is what the values at one place of the line have, as heights.
type column struct {
	open, last    int  // the first value in time, and the last
	first, second int  // the least and the greatest, in the order of their times
	empty, torn   bool // no value; a value is missing beside others
}

// paths returns the line, and the area between it and 0.
func (c Chart) paths(s scale) (line, area string) {
	cols := c.columns(s)
	step := float64(width) / float64(max(len(cols)-1, 1))
	zero := s.y(0)
	var l, a pen
	for i := 0; i < len(cols); {
		if cols[i].empty {
			i++
			continue
		}
		x := int(math.Round(float64(i) * step))
		alone := cols[i].torn || i+1 == len(cols) || cols[i+1].empty
		if alone {
			x = min(max(x-1, 0), width-dot)
		}
		l.move(x, cols[i].open)
		a.move(x, zero)
		for more := true; more; i++ {
			if !alone {
				x = int(math.Round(float64(i) * step))
			}
			l.through(x, cols[i])
			a.to(x, farther(cols[i], zero))
			more = !cols[i].torn && i+1 < len(cols) && !cols[i+1].empty
		}
		if alone {
			x += dot
			l.to(x, l.y)
			a.to(x, a.y)
		}
		l.flush()
		a.to(x, zero)
		a.flush()
	}
	return l.String(), a.String()
}

// dot is the width of a value that stands alone.
const dot = 3

// through draws a column: its last value, and before that its least and its greatest unless
// the way there passes them.
func (p *pen) through(x int, c column) {
	low, high := min(p.y, c.last), max(p.y, c.last)
	for _, y := range []int{c.first, c.second} {
		if y < low || y > high {
			p.to(x, y)
		}
	}
	p.to(x, c.last)
}

// farther returns the height of a column that is farther from that of 0.
func farther(c column, zero int) int {
	if (c.first-zero)*(c.first-zero) > (c.second-zero)*(c.second-zero) {
		return c.first
	}
	return c.second
}

// columns puts the values into columns. Each keeps its least value and its greatest, so
// that no peak is lost.
func (c Chart) columns(s scale) []column {
	n := len(c.Values)
	cols := make([]column, min(n, columns))
	for i := range cols {
		values := c.Values[i*n/len(cols) : (i+1)*n/len(cols)]
		least, most, known := span(values)
		col := column{empty: known == 0, torn: known < len(values)}
		for seen, v := range slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) }) {
			if col.last = s.y(v); seen == 0 {
				col.open = col.last
			}
		}
		col.first, col.second = s.y(least), s.y(most)
		for _, v := range values {
			if v == most && most != least { // the greatest came first
				col.first, col.second = col.second, col.first
			}
			if v == most || v == least {
				break
			}
		}
		cols[i] = col
	}
	return cols
}

// A pen writes the data of a path, as short as it can be.
type pen struct {
	strings.Builder
	x, y  int
	level int // how far the line is level and not yet written
}

func (p *pen) move(x, y int) {
	fmt.Fprintf(p, "M%d %d", x, y)
	p.x, p.y = x, y
}

func (p *pen) to(x, y int) {
	if y == p.y {
		p.level += x - p.x
		p.x = x
		return
	}
	p.flush()
	if x == p.x {
		fmt.Fprintf(p, "v%d", y-p.y)
	} else {
		fmt.Fprintf(p, "l%d %d", x-p.x, y-p.y)
	}
	p.x, p.y = x, y
}

// flush writes what is level.
func (p *pen) flush() {
	if p.level != 0 {
		fmt.Fprintf(p, "h%d", p.level)
		p.level = 0
	}
}

package terminal

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Unit is what a progress bar counts.
type Unit int

// Units. The zero value counts nothing and shows a share.
const (
	Share Unit = iota
	Bytes
	Count
)

func (u Unit) options() []progressbar.Option {
	switch u {
	case Bytes:
		return []progressbar.Option{progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true)}
	case Count:
		return []progressbar.Option{progressbar.OptionShowCount()}
	}
	return nil
}

// Progress returns a function that shows on a bar how much is done, and one that
// removes the bar. The bar is on out. If that is not a terminal, there is no bar and
// show is nil.
func Progress(out io.Writer, what string, unit Unit) (show func(done, total int64), end func()) {
	if !Is(out) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	show = func(done, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(max(total, 1), append(unit.options(), progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(what),
				progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())...)
		}
		bar.ChangeMax64(max(total, 1))
		bar.Set64(done)
	}
	return show, func() {
		if bar != nil {
			bar.Clear()
			bar.Close()
		}
	}
}

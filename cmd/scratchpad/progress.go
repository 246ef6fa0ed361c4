package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// inBytes makes a progress bar count bytes.
var inBytes = []progressbar.Option{progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true)}

// progress returns a function that shows on a bar how much is done, and one that
// removes the bar. The bar is on standard error. If that is not a terminal, there is no
// bar and show is nil.
func (p *process) progress(what string, units ...progressbar.Option) (show func(done, total int64), end func()) {
	if !isTerminal(p.err) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	show = func(done, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(max(total, 1), append(units, progressbar.OptionSetWriter(p.err), progressbar.OptionSetDescription(what),
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

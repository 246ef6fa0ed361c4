package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

var errInterrupted = errors.New("interrupted")

// input returns standard input. At a signal it ends with [errInterrupted], because a
// read from a terminal would go on waiting. Its goroutine lives as long as the process.
func (p *process) input() io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, p.in)
		w.CloseWithError(err)
	}()
	context.AfterFunc(p.ctx, func() { w.CloseWithError(errInterrupted) })
	return r
}

// standardInput is input for a command that reads all of it. On a terminal it tells the
// user that the command waits.
func (p *process) standardInput() io.Reader {
	if terminal.Is(p.in) {
		p.note("reading standard input; %s on a line of its own ends it\n", endKeys())
	}
	return p.input()
}

// endKeys are the keys that end standard input on a terminal.
func endKeys() string {
	if runtime.GOOS == "windows" {
		return "Ctrl-Z and Enter"
	}
	return "Ctrl-D"
}

// readSource returns the content of a local file, or of standard input for "-". It
// reads at most one byte over the limit.
func (p *process) readSource(source string, limit int64) ([]byte, error) {
	if limit < math.MaxInt64 {
		limit++
	}
	if source == "-" {
		return io.ReadAll(io.LimitReader(p.standardInput(), limit))
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, invalid("%v", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, invalid("%v", err)
	}
	return content, nil
}

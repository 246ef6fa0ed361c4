package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var errInterrupted = errors.New("interrupted")

// input is standard input, which ends with [errInterrupted] at a signal: a read
// from a terminal would wait on. Its goroutine lives as long as the process.
func (p *process) input() io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, p.in)
		w.CloseWithError(err)
	}()
	context.AfterFunc(p.ctx, func() { w.CloseWithError(errInterrupted) })
	return r
}

// standardInput is input for a command that reads it to the end. Somebody who
// sits before a terminal is told that it waits.
func (p *process) standardInput() io.Reader {
	if isTerminal(p.in) {
		p.note("reading standard input; %s on a line of its own ends it\n", endKeys())
	}
	return p.input()
}

// endKeys are what ends standard input on a terminal.
func endKeys() string {
	if runtime.GOOS == "windows" {
		return "Ctrl-Z and Enter"
	}
	return "Ctrl-D"
}

// readSource returns what is in a local file, or standard input for "-", but no
// more of it than one byte over the limit.
func (p *process) readSource(source string, limit int64) ([]byte, error) {
	if limit < math.MaxInt64 {
		limit++
	}
	if source == "-" {
		return io.ReadAll(io.LimitReader(p.standardInput(), limit))
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "%v", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "%v", err)
	}
	return content, nil
}

// count is a whole number from 1; 0 says that it was not given.
type count int64

// Decode is kong's hook.
func (c *count) Decode(k *kong.DecodeContext) error { return decodeNumber(k, (*int64)(c), 1) }

// number is a whole number from 0.
type number int64

// Decode is kong's hook.
func (n *number) Decode(k *kong.DecodeContext) error { return decodeNumber(k, (*int64)(n), 0) }

// maxNumber is the highest that a version or an entry can have.
const maxNumber = 1 << 53

// decodeNumber also takes a negative number, which kong holds for a flag, to say
// what is wrong with it.
func decodeNumber(k *kong.DecodeContext, to *int64, least int64) error {
	text, _ := k.Scan.Peek().Value.(string)
	if len(text) > 1 && text[0] == '-' && '0' <= text[1] && text[1] <= '9' {
		k.Scan.Pop()
	} else if err := k.Scan.PopValueInto("number", &text); err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > maxNumber {
		return fmt.Errorf("must be a whole number from %d to %d, not %q", least, int64(maxNumber), text)
	}
	*to = n
	return nil
}

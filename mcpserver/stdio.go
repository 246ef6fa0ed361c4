package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxBody     = 16 << 20 // of one message: a write of 1 MiB of control characters, escaped, twice
	maxInFlight = 64 << 20 // of all messages that are not answered yet, together
)

// drainTime is how long the calls under way may still take when the client has
// left or the process is told to end.
const drainTime = 5 * time.Second

// lines is a transport of one JSON-RPC message a line. The SDK's own ends at the
// first line that is none; here that line gets its error, and the next one is
// read. At the end of the input the calls that were read are still answered.
type lines struct {
	in      io.ReadCloser
	read    chan line     // from the goroutine that reads in
	ended   chan struct{} // closed by stop: read no more
	closed  chan struct{}
	closing sync.Once
	ending  sync.Once

	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex         // guards the following
	calls   map[jsonrpc.ID]int // the bytes of each call that has no answer yet
	open    int                // calls whose answer has not been written
	bytes   int                // of the lines of those
	changed chan struct{}      // closed and made anew when an answer was written
}

type line struct {
	text []byte
	err  error // of the stream, or errLong
}

var errLong = errors.New("line too long")

func newLines(in io.ReadCloser, out io.Writer) *lines {
	l := &lines{
		in: in, out: out, read: make(chan line), ended: make(chan struct{}), closed: make(chan struct{}),
		calls: map[jsonrpc.ID]int{}, changed: make(chan struct{}),
	}
	go l.readLines()
	return l
}

// Connect implements [mcp.Transport].
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID implements [mcp.Connection].
func (l *lines) SessionID() string { return "" }

// stop ends the connection after the calls that were read.
func (l *lines) stop() { l.ending.Do(func() { close(l.ended) }) }

func (l *lines) readLines() {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		text, err := readLine(r)
		select {
		case l.read <- line{text, err}:
		case <-l.closed:
			return
		}
		if err != nil && err != errLong {
			return
		}
	}
}

// readLine reads to the end of a line, and past one that is too long. What
// stands after the last line end is a line too.
func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxBody; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(text) > 0:
			return text, nil // the next read meets the end again
		case err != nil:
			return nil, err
		case long:
			return nil, errLong
		}
		return text, nil
	}
}

// Read implements [mcp.Connection].
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var next line
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closed:
			return nil, io.EOF
		case <-l.ended:
			return nil, l.drain(io.EOF)
		case next = <-l.read:
		}
		switch {
		case next.err == errLong:
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than %d bytes", maxBody))
		case next.err != nil:
			return nil, l.drain(next.err)
		case len(bytes.TrimSpace(next.text)) > 0:
			if msg := l.accept(next.text); msg != nil {
				return msg, nil
			}
		}
	}
}

// accept decodes a line, and answers one that is no message itself. It waits
// while the calls under way hold too many bytes.
func (l *lines) accept(text []byte) jsonrpc.Message {
	msg, code, problem := decodeLine(text)
	if problem != "" {
		l.refuse(code, problem)
		return nil
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && req.Method != "subscriptions/listen" { // that one ends with the connection
		l.mu.Lock()
		_, known := l.calls[req.ID]
		if !known {
			l.calls[req.ID] = len(text)
			l.open++
			l.bytes += len(text)
		}
		l.mu.Unlock()
		if known {
			l.refuse(jsonrpc.CodeInvalidRequest, "the id is that of a request that is not answered yet; give each its own")
			return nil
		}
		l.wait(func() bool { return l.bytes <= maxInFlight || l.open == 1 }, nil)
	}
	return msg
}

// decodeLine is strict where the SDK's decoder is not: an id that it would
// change could not be answered.
func decodeLine(text []byte) (msg jsonrpc.Message, code int64, problem string) {
	var fields struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		if !json.Valid(text) {
			return nil, jsonrpc.CodeParseError, "the line is not valid JSON"
		}
		return nil, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message; send one object a line, no batch"
	}
	if id := string(fields.ID); id != "" && id[0] != '"' {
		if n, ok := integer(id); !ok || strconv.FormatInt(n, 10) != id {
			return nil, jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number up to 2^53"
		}
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message: " + brief(err.Error())
	}
	return msg, 0, ""
}

// refuse answers a line that has no id to answer to (JSON-RPC 2.0, section 5).
func (l *lines) refuse(code int64, problem string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": problem}})
	if err == nil {
		err = l.writeLine(text)
	}
	if err != nil {
		l.stop() // the client does not listen
	}
}

// Write implements [mcp.Connection].
func (l *lines) Write(ctx context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	size, answer := 0, false
	if res, ok := msg.(*jsonrpc.Response); ok {
		size, answer = l.free(res.ID)
	}
	err = l.writeLine(text)
	if answer {
		l.answered(size)
	}
	return err
}

// free gives an id back, before its answer is written: the client may use it
// again as soon as it has that.
func (l *lines) free(id jsonrpc.ID) (size int, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size, known = l.calls[id]
	delete(l.calls, id)
	return size, known
}

func (l *lines) writeLine(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	return err
}

func (l *lines) answered(size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	l.bytes -= size
	close(l.changed)
	l.changed = make(chan struct{})
}

// drain waits for the answers to the calls that were read, and returns the error
// that ends the reading.
func (l *lines) drain(err error) error {
	l.wait(func() bool { return l.open == 0 }, time.After(drainTime))
	return err
}

// wait returns when ok does, which is called under the lock, or at the timeout,
// or when the connection is closed.
func (l *lines) wait(ok func() bool, timeout <-chan time.Time) {
	for {
		l.mu.Lock()
		done, changed := ok(), l.changed
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			return
		case <-l.closed:
			return
		}
	}
}

// Close implements [mcp.Connection].
func (l *lines) Close() error {
	var err error
	l.closing.Do(func() {
		close(l.closed)
		err = l.in.Close()
	})
	return err
}

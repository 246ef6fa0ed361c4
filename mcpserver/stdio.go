package mcpserver

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

// maxBody is the length of the longest message: two texts of 1 MiB of control
// characters, escaped.
const maxBody = 16 << 20

// drainTime is how long the calls under way may go on after the client has left or the
// process was told to end.
const drainTime = 5 * time.Second

// lines is a transport with one JSON-RPC message a line. The SDK's own transport ends at
// the first line that is not a message. This one answers the line with an error and
// reads the next. At the end of the input, the calls under way are still answered.
type lines struct {
	in      io.ReadCloser
	read    chan line       // lines from the goroutine that reads in
	reading context.Context // done when no more lines are read: nobody waits for memory then
	stop    func()          // ends reading; the connection then ends after the calls under way
	over    context.Context // done when the connection has ended; the cause is io.EOF, or why a write to out failed
	finish  context.CancelCauseFunc

	server *Server
	name   string          // of the connection
	values context.Context // the context of Run, for its values
	bound  bool            // the client is bound to one agent
	silent *auth.TokenInfo // stands for the caller of every line that needs no answer
	quiet  func()          // called at the end, for silent
	orders orders

	writing sync.Mutex // guards out
	out     io.Writer

	under sync.WaitGroup          // of the calls whose answers are not written yet
	mu    sync.Mutex              // guards calls
	calls map[jsonrpc.ID]*request // without an answer yet
}

type line struct {
	text []byte
	err  error // of the stream, or errLong
}

var errLong = &refusal{
	text: fmt.Sprintf("the line is longer than %d bytes; send less at once", maxBody)}

func newLines(in io.ReadCloser, out io.Writer, s *Server, values context.Context) *lines {
	l := &lines{
		in: in, out: out, server: s, name: session.NewConnection(), values: values,
		read: make(chan line), calls: map[jsonrpc.ID]*request{},
	}
	l.over, l.finish = context.WithCancelCause(context.Background())
	l.reading, l.stop = context.WithCancel(l.over)
	l.orders.last = map[string]chan struct{}{}
	silent := s.open(values)
	l.bound = silent.bound
	l.silent, l.quiet = newToken(silent)
	go l.readLines()
	return l
}

// forget drops all that the server keeps about the lines. It is called after the session.
func (l *lines) forget() {
	l.finish(io.EOF)
	l.quiet()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		c.end()
	}
	clear(l.calls)
}

// Connect implements [mcp.Transport].
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID implements [mcp.Connection].
func (l *lines) SessionID() string { return "" }

func (l *lines) readLines() {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		text, err := readLine(r)
		if err == io.EOF {
			l.stop()
			return
		}
		select {
		case l.read <- line{text, err}:
		case <-l.over.Done():
			return
		}
		if err != nil && err != error(errLong) {
			return
		}
	}
}

// readLine reads one line. It skips a line that is too long. Text after the last line end
// is a line too.
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
			return text, nil // the next read returns io.EOF
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
		case <-l.reading.Done():
			l.drain()
			return nil, cmp.Or(context.Cause(l.over), io.EOF)
		case next = <-l.read:
		}
		switch {
		case next.err == error(errLong):
			l.refuse(errLong)
		case next.err != nil:
			l.drain()
			return nil, next.err
		case len(strictjson.Trim(next.text)) > 0:
			if msg := l.accept(next.text); msg != nil {
				return msg, nil
			}
		}
	}
}

// accept decodes a line. It answers a line that is not a message itself, and returns nil.
// It waits while there is no memory for the message.
func (l *lines) accept(text []byte) jsonrpc.Message {
	m, bad := inspect(text)
	if bad != nil {
		if !m.answer { // nobody answers an answer
			l.refuse(bad)
		}
		return nil
	}
	r := l.server.open(l.values)
	leave, f := l.server.receive(l.reading, r, m, len(m.text))
	if f != nil {
		r.charge.leave()
		if r.call != nil {
			l.refuse(f)
		}
		return nil
	}
	end := func() { leave(); r.charge.leave() }
	msg, bad := m.decode()
	if bad != nil {
		end()
		l.refuse(bad)
		return nil
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		end()
		if ok {
			req.Extra = &mcp.RequestExtra{TokenInfo: l.silent}
		}
		return msg
	}
	if !l.begin(m, req, r, end) {
		l.refuse(errTwice)
		return nil
	}
	return msg
}

// refuse answers a line with an error.
func (l *lines) refuse(f *refusal) {
	_ = l.writeLine(f.line()) // Read finds that out is broken
}

// Write implements [mcp.Connection].
func (l *lines) Write(ctx context.Context, msg jsonrpc.Message) error {
	res, isAnswer := msg.(*jsonrpc.Response)
	if isAnswer && res.Error != nil {
		cut := *res
		cut.Error = briefError(res.Error)
		msg = &cut
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if !isAnswer {
		return l.writeLine(text)
	}
	text = l.sentID(text, res.ID)
	defer l.answer(res.ID, len(text), res.Error)()
	return l.writeLine(text)
}

func (l *lines) writeLine(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	if err != nil {
		l.finish(err)
	}
	return err
}

// Close implements [mcp.Connection].
func (l *lines) Close() error {
	l.finish(io.EOF)
	return l.in.Close()
}

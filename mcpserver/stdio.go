package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
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
	read    chan line     // lines from the goroutine that reads in
	ended   chan struct{} // closed by stop: no more lines are read
	broken  chan struct{} // closed when a write to out fails
	closed  chan struct{}
	ending  sync.Once
	closing sync.Once
	failing sync.Once

	server  *Server
	values  context.Context // the context of Run, for its values
	silent  string          // the number of the request of all lines without an answer
	waiting context.Context // done when no more lines are read: nobody waits for memory then
	giveUp  context.CancelFunc
	room    *semaphore.Weighted // for calls without an answer yet

	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex          // guards the following
	calls   map[jsonrpc.ID]call // without an answer yet
	answers int                 // answers that are being written
	changed chan struct{}       // closed and made anew when a call is answered
	outErr  error               // of the write to out that failed
}

// A call is a line that needs an answer.
type call struct {
	charge *charge
	end    func() // gives back all that the call holds
}

type line struct {
	text []byte
	err  error // of the stream, or errLong
}

var errLong = errors.New("line too long")

func newLines(in io.ReadCloser, out io.Writer, s *Server, values context.Context) *lines {
	l := &lines{
		in: in, out: out, read: make(chan line), ended: make(chan struct{}), broken: make(chan struct{}), closed: make(chan struct{}),
		server: s, values: context.WithoutCancel(values), calls: map[jsonrpc.ID]call{}, changed: make(chan struct{}),
	}
	l.room = semaphore.NewWeighted(maxCalls)
	l.silent = s.requests.add(&request{values: l.values})
	l.waiting, l.giveUp = context.WithCancel(context.Background())
	go l.readLines()
	return l
}

// forget drops all that the server keeps about the lines. It is called after the session.
func (l *lines) forget() {
	l.giveUp()
	l.server.requests.drop(l.silent)
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

// stop ends the reading. The connection then ends after the calls under way.
func (l *lines) stop() {
	l.ending.Do(func() {
		close(l.ended)
		l.giveUp()
	})
}

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
		case <-l.closed:
			return
		}
		if err != nil && err != errLong {
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
		case <-l.closed:
			return nil, io.EOF
		case <-l.broken:
			return nil, l.outError()
		case <-l.ended:
			return nil, l.drain(io.EOF)
		case next = <-l.read:
		}
		switch {
		case next.err == errLong:
			l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than %d bytes", maxBody))
		case next.err != nil:
			return nil, l.drain(next.err)
		case len(bytes.TrimSpace(next.text)) > 0:
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
	c := l.server.budget.open()
	var msg jsonrpc.Message
	if bad == nil {
		_ = c.take(l.waiting, m.weight(len(text))) // fails at the end of the input, when the last line needs no room
		msg, bad = m.decode()
	}
	if bad != nil {
		c.leave()
		l.refuse(bad.id, bad.code, bad.problem)
		return nil
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		c.leave()
		if ok {
			req.Extra = numberedExtra(l.silent)
		}
		return msg
	}
	if !l.begin(req, c) {
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "the id is that of a request that is not answered yet; give each its own")
		return nil
	}
	return msg
}

// begin notes a call until it is answered. It waits while there are too many calls. It
// reports false if another call has the same id.
func (l *lines) begin(req *jsonrpc.Request, c *charge) bool {
	hasRoom := l.room.Acquire(l.waiting, 1) == nil
	number := l.server.requests.add(&request{values: l.values, charge: c})
	end := func() {
		l.server.requests.drop(number)
		c.leave()
		if hasRoom {
			l.room.Release(1)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.calls[req.ID]; known {
		end()
		return false
	}
	l.calls[req.ID] = call{c, end}
	req.Extra = numberedExtra(number)
	return true
}

func numberedExtra(number string) *mcp.RequestExtra {
	return &mcp.RequestExtra{Header: http.Header{requestHeader: {number}}}
}

// refuse answers a line with an error. A nil id is answered as null (JSON-RPC 2.0, section
// 5).
func (l *lines) refuse(id json.RawMessage, code int64, problem string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": problem}})
	if err == nil {
		_ = l.writeLine(text) // Read finds that out is broken
	}
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
	if isAnswer {
		defer l.answer(res.ID, len(text))()
	}
	return l.writeLine(text)
}

func (l *lines) writeLine(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	if err != nil {
		l.mu.Lock()
		l.outErr = err
		l.mu.Unlock()
		l.failing.Do(func() {
			close(l.broken)
			l.giveUp()
		})
	}
	return err
}

func (l *lines) outError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outErr
}

// answer frees the id of a call, because the client may use it again as soon as it has
// the answer. written is to be called after the answer is written.
func (l *lines) answer(id jsonrpc.ID, bytes int) (written func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, known := l.calls[id]
	delete(l.calls, id)
	l.answers++
	if known {
		c.charge.shrink(writtenWeight(bytes))
	}
	return func() {
		if known {
			c.end()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.answers--
		close(l.changed)
		l.changed = make(chan struct{})
	}
}

// drain waits for the answers to the calls under way, and returns err.
func (l *lines) drain(err error) error {
	late := make(chan struct{})
	defer time.AfterFunc(drainTime, func() { close(late) }).Stop()
	l.wait(func() bool { return len(l.calls)+l.answers == 0 }, late)
	return err
}

// leave waits for the end of a session that was told to end. It gives up if the client
// does not read its answers.
func (l *lines) leave(ended <-chan error) error {
	const grace = time.Second // for calls to end that are cancelled after drainTime
	select {
	case err := <-ended:
		return err
	case <-time.After(drainTime + grace):
		l.Close()
		return errors.New("the client does not read its answers")
	}
}

// wait waits until ok returns true, enough is closed, or the connection is broken or
// closed. It calls ok under the lock.
func (l *lines) wait(ok func() bool, enough <-chan struct{}) {
	for {
		l.mu.Lock()
		done, changed := ok(), l.changed
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-enough:
			return
		case <-l.broken:
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
		l.giveUp()
		err = l.in.Close()
	})
	return err
}

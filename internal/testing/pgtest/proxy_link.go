package pgtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// A link is one connection through a [Proxy]. One goroutine forwards what the client
// sends, another what the server answers.
type link struct {
	proxy  *Proxy
	client net.Conn

	mu      sync.Mutex // guards what follows, up to ended
	server  net.Conn   // set once, before there are two goroutines
	closed  bool
	silent  bool    // half open: nothing is forwarded any more
	heard   bool    // the server has said something since the client last did
	waiting []Fault // of batches that the server has not answered yet, in order
	ended   chan struct{}

	statements, portals map[string]string // the SQL by name
	batch               Batch
	buffer              []byte // messages of the batch that are not forwarded yet
}

// The first message of a connection has one of these numbers in place of a version.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104
)

const maxMessage = 1 << 30

// run forwards until one side ends the connection, or a fault does.
func (l *link) run() {
	in := bufio.NewReaderSize(l.client, 1<<16)
	first, code, err := l.startup(in)
	if err != nil {
		return
	}
	fault := Fault{}
	if code == cancelRequest {
		l.proxy.cancels.Add(1)
	} else {
		fault = l.proxy.choose(Batch{Startup: true})
		l.waiting = append(l.waiting, fault)
	}
	switch fault.Do {
	case CutBefore:
		l.cut()
		return
	case HalfOpenBefore:
		<-l.ended
		return
	}
	if !l.dial() {
		return
	}
	var answers sync.WaitGroup
	defer answers.Wait()
	defer l.end()
	answers.Go(l.answer)
	if l.write(first, fault) {
		l.forward(in)
	}
	if l.isSilent() {
		<-l.ended
	}
}

// startup reads the client's first message. It refuses encryption.
func (l *link) startup(in *bufio.Reader) (message []byte, code uint32, err error) {
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(in, head); err != nil {
			return nil, 0, err
		}
		size := binary.BigEndian.Uint32(head)
		code := binary.BigEndian.Uint32(head[4:])
		if size < 8 || size > 1<<16 {
			return nil, 0, errors.New("not a startup message")
		}
		if code == sslRequest || code == gssRequest {
			if _, err := l.client.Write([]byte{'N'}); err != nil {
				return nil, 0, err
			}
			continue
		}
		message := append(head, make([]byte, size-8)...)
		_, err := io.ReadFull(in, message[8:])
		return message, code, err
	}
}

// dial connects to the server, unless the connection was cut meanwhile.
func (l *link) dial() bool {
	server, err := net.DialTimeout(l.proxy.network, l.proxy.address, startTime)
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		server.Close()
		return false
	}
	l.server = server
	return true
}

// cut resets the connection on both sides, unless it has ended.
func (l *link) cut() {
	if tcp, ok := l.client.(*net.TCPConn); ok {
		tcp.SetLinger(0) // Close then sends RST
	}
	l.end()
}

// end closes the connection on both sides. Further calls do nothing.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	close(l.ended)
	l.client.Close()
	if l.server != nil {
		l.server.Close()
	}
}

// forward forwards the client's messages, batch by batch.
func (l *link) forward(in *bufio.Reader) {
	l.statements, l.portals = map[string]string{}, map[string]string{}
	for {
		message, err := readMessage(in)
		if err != nil {
			return
		}
		if !l.note(message) {
			continue
		}
		if !l.send(message[0]) {
			return
		}
	}
}

// readMessage reads a message: a type, a length that counts itself, and the rest.
func readMessage(in *bufio.Reader) ([]byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size < 4 || size > maxMessage {
		return nil, errors.New("not a message")
	}
	message := append(head, make([]byte, size-4)...)
	_, err := io.ReadFull(in, message[5:])
	return message, err
}

// note adds a message to the batch and reports whether it is to be sent now.
func (l *link) note(message []byte) bool {
	l.buffer = append(l.buffer, message...)
	rest := message[5:]
	switch message[0] {
	case 'P': // Parse: statement, SQL
		name, rest := text(rest)
		l.statements[name], _ = text(rest)
	case 'B': // Bind: portal, statement
		portal, rest := text(rest)
		name, _ := text(rest)
		l.portals[portal] = l.statements[name]
	case 'E': // Execute: portal
		portal, _ := text(rest)
		l.addSQL(l.portals[portal])
	case 'D', 'C': // Describe, Close
	case 'Q':
		sql, _ := text(rest)
		l.addSQL(sql)
		return true
	default: // Sync, Flush, COPY's data, a password, the end
		return true
	}
	return false
}

func (l *link) addSQL(sql string) {
	l.batch.SQL = append(l.batch.SQL, sql)
	l.batch.Commit = l.batch.Commit || isCommit(sql)
}

// isCommit reports whether one of the statements of a query is COMMIT.
func isCommit(sql string) bool {
	for s := range strings.SplitSeq(sql, ";") {
		if f := strings.Fields(s); len(f) > 0 && strings.EqualFold(f[0], "commit") {
			return true
		}
	}
	return false
}

// text cuts off a text that ends with a zero byte.
func text(b []byte) (string, []byte) {
	s, rest, _ := bytes.Cut(b, []byte{0})
	return string(s), rest
}

// send forwards what is in the buffer, or does what its fault says. It is given the type
// of the last message. It reports whether to go on.
func (l *link) send(last byte) bool {
	l.batch.RoundTrip = l.speak(last)
	batch, buffer := l.batch, l.buffer
	l.buffer = nil
	fault := Fault{}
	if len(batch.SQL) > 0 {
		fault = l.proxy.choose(batch)
	}
	switch fault.Do {
	case CutBefore:
		l.cut()
		return false
	case HalfOpenBefore:
		l.silence()
	}
	if l.isSilent() {
		return false
	}
	if last == 'Q' || last == 'S' {
		l.expect(fault)
		l.batch = Batch{}
	}
	l.proxy.sleep(time.Duration(l.proxy.latency.Load()) / 2)
	return l.write(buffer, fault)
}

// speak notes that the client asks something, and reports whether that begins a round
// trip.
func (l *link) speak(last byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.heard || last != 'Q' && last != 'S' && last != 'H' {
		return false
	}
	l.heard = false
	l.proxy.roundTrips.Add(1)
	return true
}

// expect notes that the server is to answer a batch.
func (l *link) expect(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, f)
}

// write writes to the server and then does what the fault says. It reports whether to go
// on.
func (l *link) write(b []byte, f Fault) bool {
	if f.Do == HalfOpenAnswer || f.Do == CutAfter {
		l.silence() // before the server can answer
	}
	if _, err := l.server.Write(b); err != nil {
		return false
	}
	if f.Do == CutAfter {
		l.cut()
	}
	return f.Do != CutAfter && f.Do != HalfOpenAnswer
}

func (l *link) silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
}

func (l *link) isSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent
}

// answer forwards what the server sends, until the server ends the connection.
func (l *link) answer() {
	in := bufio.NewReaderSize(l.server, 1<<16)
	out := bufio.NewWriterSize(l.client, 1<<16)
	first := true // of an answer
	for {
		message, err := readMessage(in)
		if err != nil {
			break
		}
		fault := l.front()
		if first {
			l.proxy.sleep(fault.Delay + time.Duration(l.proxy.latency.Load())/2)
		}
		if !unasked(message[0]) {
			first = message[0] == 'Z' // ReadyForQuery
			l.hear(first)
		}
		if fault.Do == CutAnswer && first {
			l.cut()
			return
		}
		if fault.Do == CutAnswer || l.isSilent() {
			continue
		}
		if fault.Code != "" && string(message[5:]) == "COMMIT\x00" {
			message = errorMessage(fault.Code)
		}
		if _, err := out.Write(message); err != nil {
			break
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			break
		}
	}
	if l.isSilent() {
		<-l.ended // the client is not to see that the server has gone
	}
	out.Flush()
	l.end()
}

// errorMessage returns an ErrorResponse of the server's protocol.
func errorMessage(code string) []byte {
	fields := "SERROR\x00VERROR\x00C" + code + "\x00Man error of the proxy\x00\x00"
	return append(binary.BigEndian.AppendUint32([]byte{'E'}, uint32(4+len(fields))), fields...)
}

// unasked reports whether a type of message is a notice, a notification or a parameter,
// which are no answer.
func unasked(message byte) bool { return message == 'N' || message == 'A' || message == 'S' }

// hear notes that the server has sent something, or the end of an answer.
func (l *link) hear(end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = true
	if end && len(l.waiting) > 0 {
		l.waiting = l.waiting[1:]
	}
}

// front returns the fault of the batch that the server answers now.
func (l *link) front() Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return Fault{}
	}
	return l.waiting[0]
}

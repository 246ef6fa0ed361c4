package torture

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A client makes calls one after the other. It remembers what it has seen, as an agent does.
type client struct {
	round, number, n int
	rand             *rand.Rand
	known            map[string]int64  // the version of each file that the client saw last
	token            map[string]string // the first word of each
	entry            map[string]int64  // the last entry of each log
	cursor           int64
}

func newClient(seed uint64, round, number int) *client {
	return &client{
		round: round, number: number, rand: rand.New(rand.NewPCG(seed, uint64(round)<<16|uint64(number))),
		known: map[string]int64{}, token: map[string]string{}, entry: map[string]int64{},
	}
}

// next returns the client's next call.
func (k *client) next() call {
	k.n++
	c := call{ID: fmt.Sprintf("%d-%d-%d", k.round, k.number, k.n), Path: filePaths[k.rand.IntN(len(filePaths))]}
	log := logPaths[k.rand.IntN(len(logPaths))]
	word := fmt.Sprintf("<%d-%d>", k.number, k.n)
	switch d := k.rand.IntN(100); {
	case d < 5:
		c.Do = doRestore
		if d < 2 {
			c.Version = max(1, k.known[c.Path]-k.rand.Int64N(4))
		}
	case d < 31:
		c.Do, c.Text = doWrite, word+k.padding(700)
		if d < 16 {
			c.If = new(k.known[c.Path])
		}
	case d < 44:
		c.Do, c.Text = doEdit, word
		if d < 38 {
			c.Old = k.token[c.Path]
		}
	case d < 51:
		c.Do, c.To = doMove, filePaths[(k.rand.IntN(len(filePaths)-1)+1+indexOf(c.Path))%len(filePaths)]
		if known := k.known[c.Path]; d < 46 && known > 0 {
			c.If = &known
		}
	case d < 64:
		c.Do = doRead
	case d < 71:
		c.Do = doDelete
		if known := k.known[c.Path]; d < 67 && known > 0 {
			c.If = &known
		}
	case d < 80:
		c.Do, c.Path, c.Text, c.Entries = doAppend, log, word+k.padding(90), 1+k.rand.IntN(3)
	case d < 82 && k.entry[log] > 0:
		c.Do, c.Path, c.Since = doTrim, log, max(1, k.entry[log]-int64(k.rand.IntN(4)))
	case d < 83:
		c.Do, c.Path = doDeleteLog, log
	case d < 87:
		c.Do, c.Path, c.Entries = doReadLog, log, 20*k.rand.IntN(2)
	case d < 95:
		c.Do, c.Path, c.Since = doChanges, "", k.cursor
	case d < 98:
		c.Do, c.Path = doList, ""
	default:
		c.Do, c.Path = doListLogs, ""
	}
	if c.writes() && k.rand.IntN(10) < 6 {
		c.Key = "key-" + c.ID
	}
	if k.rand.IntN(20) == 0 {
		c.Within = time.Duration(1+k.rand.IntN(20)) * time.Millisecond
	}
	return c
}

func indexOf(path string) int {
	for i, p := range filePaths {
		if p == path {
			return i
		}
	}
	return 0
}

// padding makes contents of different sizes, a few of them of several pages of a database.
func (k *client) padding(lines int) string {
	switch d := k.rand.IntN(20); {
	case d == 0:
		return strings.Repeat("0123456789abcde\n", k.rand.IntN(lines))
	case d < 10:
		return strings.Repeat("-", k.rand.IntN(9)) + "\n"
	}
	return ""
}

// learn takes in an answer.
func (k *client) learn(c call, a answer) {
	switch {
	case a.Failed == failedNotFound, c.Do == doDelete && a.Failed == "":
		k.known[c.Path], k.token[c.Path] = 0, ""
	case a.Failed != "":
	case c.Do == doWrite, c.Do == doEdit, c.Do == doRead:
		k.known[c.Path] = a.Number
		text := c.Text
		if c.Do == doRead {
			text = a.Text
		}
		if word, _, ok := strings.Cut(text, ">"); ok && strings.HasPrefix(word, "<") {
			k.token[c.Path] = word + ">"
		}
	case c.Do == doRestore:
		k.known[c.Path], k.token[c.Path] = a.Number, ""
	case c.Do == doMove:
		k.known[c.To], k.token[c.To] = a.Number, k.token[c.Path]
		k.known[c.Path], k.token[c.Path] = 0, ""
	case c.Do == doAppend, c.Do == doReadLog:
		k.entry[c.Path] = max(k.entry[c.Path], a.Number)
	case c.Do == doChanges:
		k.cursor = a.Number
	}
}

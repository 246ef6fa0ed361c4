package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type m = map[string]any

// The tools cost every conversation tokens: of each tool, those of its name, of its
// description and of its schema.
func TestToolsTokens(t *testing.T) {
	testkit.SkipInShort(t)
	for _, c := range []struct {
		bound string
		most  int
	}{{"", 1060}, {"a", 880}} {
		session := connect(t, newServer(t, c.bound))
		list := must(session.ListTools(t.Context(), &mcp.ListToolsParams{}))(t)
		if len(list.Tools) != 14 {
			t.Errorf("bound %q: there are %d tools, want 14", c.bound, len(list.Tools))
		}
		sum := 0
		for _, tool := range list.Tools {
			schema := must(json.Marshal(tool.InputSchema))(t)
			n := o200k.Count(tool.Name) + o200k.Count(tool.Description) + o200k.Count(string(schema))
			t.Logf("%d %s: %s %s", n, tool.Name, tool.Description, schema)
			sum += n
		}
		if t.Logf("bound %q: %d tokens, goal %d", c.bound, sum, c.most); sum > c.most {
			t.Errorf("bound %q: the tools cost %d tokens, at most %d are allowed", c.bound, sum, c.most)
		}
	}
}

// cost returns the tokens of all blocks of an answer.
func cost(blocks []string) int {
	n := 0
	for _, b := range blocks {
		n += o200k.Count(b)
	}
	return n
}

func checkCost(t testing.TB, what string, blocks []string, most int) {
	t.Helper()
	n := cost(blocks)
	if t.Logf("%s: %d tokens, at most %d", what, n, most); n > most {
		t.Errorf("%s costs %d tokens, at most %d are allowed", what, n, most)
	}
}

var words = strings.Fields(`the meeting about budget was moved to Thursday and Priya will send notes before noon
	error timeout connecting postgres retry after 30s deploy build passed 214 tests in review customer asked for refund
	invoice #4821 shipped version v2.3.1 cache miss rate 12.5% on eu-west-1 node config.yaml changed by root`)

// sentence returns about n bytes of words.
func sentence(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()[:n]
}

func TestReadFileTokens(t *testing.T) {
	testkit.SkipInShort(t)
	s := connect(t, newServer(t, "a"))
	r := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = sentence(r, 70)
	}
	mustCall(t, s, "write_file", m{"path": "notes/plan.md", "content": strings.Join(lines, "\n") + "\n"})
	lines[1234] = sentence(r, 70)
	mustCall(t, s, "write_file", m{"path": "notes/plan.md", "content": strings.Join(lines, "\n") + "\n"})
	checkCost(t, "since_version, one line of 2,000", mustCall(t, s, "read_file", m{"path": "notes/plan.md", "since_version": 1}), 120)
	checkCost(t, "since_version, unchanged", mustCall(t, s, "read_file", m{"path": "notes/plan.md", "since_version": 2}), 40)
}

func TestListFilesTokens(t *testing.T) {
	testkit.SkipInShort(t)
	s := connect(t, newServer(t, "a"))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		path := fmt.Sprintf("notes/%s-%03d.md", words[r.IntN(7)], i)
		mustCall(t, s, "write_file", m{"path": path, "content": sentence(r, 100+r.IntN(5000))})
	}
	checkCost(t, "list_files of 100 files", mustCall(t, s, "list_files", m{}), 2500)
}

func TestReadLogTokens(t *testing.T) {
	testkit.SkipInShort(t)
	s := connect(t, newServer(t, "a"))
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 100 {
		mustCall(t, s, "append_log", m{"path": "plain", "entry": fmt.Sprintf("entry %02d %s", i, strings.Repeat("word ", 20))[:80]})
		mustCall(t, s, "append_log", m{"path": "real", "entry": sentence(r, 80)})
	}
	checkCost(t, "read_log of 100 entries of 80 bytes", mustCall(t, s, "read_log", m{"path": "plain"}), 2800)
	checkCost(t, "read_log of 100 entries of text", mustCall(t, s, "read_log", m{"path": "real"}), 2800)
}

// The answer of a search is bounded, whatever the texts and the paths are.
func TestSearchTokens(t *testing.T) {
	testkit.SkipInShort(t)
	s := connect(t, newServer(t, "a"))
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		mustCall(t, s, "write_file", m{"path": fmt.Sprintf("notes/%s-%03d.md", words[r.IntN(7)], i), "content": sentence(r, 3000) + " budget " + sentence(r, 3000)})
		mustCall(t, s, "append_log", m{"path": "runs", "entry": sentence(r, 500) + " budget"})
		mustCall(t, s, "write_file", m{"path": strings.Repeat("X9-", 80) + fmt.Sprint(i), "content": strings.Repeat("ạếữ🚀 zwölf ", 30)})
	}
	checkCost(t, "search, 10 hits", mustCall(t, s, "search", m{"query": "budget"}), 600)
	checkCost(t, "search, 50 hits asked for", mustCall(t, s, "search", m{"query": "budget", "limit": 50}), 600)
	checkCost(t, "search, hits of dear characters", mustCall(t, s, "search", m{"query": "zwölf"}), 600)
	checkCost(t, "search, nothing found", mustCall(t, s, "search", m{"query": "zebra"}), 20)
}

// alphabets are the characters of lines. A token has another number of bytes in each.
var alphabets = []string{
	"abcdefghij ", "abc{}()[];=\t\"'\\/ ", "\x00\x01\x1b\x7f\\\"", "éèüßñøåäöç ", "ạếữộỡấậ ", "日本語中文字符 ", "🙂👩‍👧🚀", "0123456789.,-", "אבגדה ", "हिन्दी ", "<>&\u2028\ufffd",
}

func mustCallIn(t *rapid.T, s *mcp.ClientSession, tool string, args any) []string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		t.Fatalf("%s %v = %v, %v, want no error", tool, args, res, err)
	}
	var blocks []string
	for _, c := range res.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	return blocks
}

func TestChangesTokens(t *testing.T) {
	testkit.SkipInShort(t)
	server := newServer(t, "a")
	s, other := connect(t, server), connectAs(t, server, modern, &mcp.Implementation{Name: "claude-code", Version: "2.0"})
	r := rand.New(rand.NewPCG(7, 8))
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = sentence(r, 40)
	}
	write := func() {
		mustCall(t, other, "write_file", m{"path": "plan.md", "content": strings.Join(lines, "\n") + "\n"})
	}
	write()
	checkCost(t, "changes, nothing new", mustCall(t, s, "changes", m{"since": 1}), 20)
	lines[51] = strings.Replace(lines[51], " ", " not ", 1)
	write()
	checkCost(t, "changes, one file", mustCall(t, s, "changes", m{"since": 1}), 60)
	checkCost(t, "changes with diffs, one line of 2,000", mustCall(t, s, "changes", m{"since": 1, "diffs": true}), 100)
	blocks := mustCall(t, s, "changes", m{"since": 1, "diffs": true})
	_, row, _ := strings.Cut(blocks[1], "\n")
	checkCost(t, "the row and the diff of one line of 2,000", []string{row}, 70)
	for i := range 99 {
		mustCall(t, other, "write_file", m{"path": fmt.Sprintf("notes/%s-%03d.md", words[r.IntN(7)], i), "content": sentence(r, 100+r.IntN(5000))})
	}
	checkCost(t, "changes, 100 files", mustCall(t, s, "changes", m{"since": 1}), 3700)
	checkCost(t, "changes with diffs, 100 files", mustCall(t, s, "changes", m{"since": 1, "diffs": true}), 3700+4200)
	checkCost(t, "changes, the 20 last", mustCall(t, s, "changes", m{}), 800)
}

// The differences of changes never cost more than to read the files and logs whole.
func TestChangesAreNeverDearer(t *testing.T) {
	testkit.SkipInShort(t)
	server := newServerOn(t, newService(t, workspace.Options{CountTokens: o200k.Count}), "a")
	s, other := connect(t, server), connect(t, server)
	n, shown := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		alphabet := rapid.SampledFrom(alphabets).Draw(t, "alphabet")
		line := rapid.StringOfN(rapid.SampledFrom([]rune(alphabet)), 0, 40, -1)
		lines := rapid.SliceOfN(line, rapid.SampledFrom([]int{0, 80}).Draw(t, "least"), 150).Draw(t, "lines")
		files := rapid.IntRange(1, 3).Draw(t, "files")
		path := func(i int) string {
			return fmt.Sprintf("%s%d-%d", rapid.SampledFrom([]string{"f", "a/b/c/file"}).Draw(t, "path"), n, i)
		}
		var paths []string
		for i := range files {
			paths = append(paths, path(i))
			mustCallIn(t, other, "write_file", m{"path": paths[i], "content": strings.Join(lines, "\n")})
		}
		since := cursorOf(t, mustCallIn(t, s, "changes", m{}))
		since -= int64(rapid.IntRange(0, files).Draw(t, "new"))
		for _, p := range paths {
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				at := rapid.IntRange(0, len(lines)).Draw(t, "at")
				cut := rapid.IntRange(at, min(len(lines), at+2)).Draw(t, "to")
				lines = append(append(append([]string{}, lines[:at]...), rapid.SliceOfN(line, 0, 3).Draw(t, "line")...), lines[cut:]...)
			}
			mustCallIn(t, other, "write_file", m{"path": p, "content": strings.Join(lines, "\n")})
		}
		table := cost(mustCallIn(t, s, "changes", m{"since": since}))
		with := mustCallIn(t, s, "changes", m{"since": since, "diffs": true})
		whole := 0
		for _, p := range paths {
			if strings.Contains(with[1], "\n+++ "+p+" ") || strings.Contains(with[1], "\n"+p+": ") {
				whole += cost(mustCallIn(t, s, "read_file", m{"path": p}))
				shown++
			}
		}
		for _, p := range paths {
			mustCallIn(t, s, "delete_file", m{"path": p})
		}
		const omitted = 6 // tokens of "omitted" in the record
		if got := cost(with); got > table+whole+omitted {
			t.Fatalf("changes with diffs costs %d tokens, without %d, the files %d: %q", got, table, whole, with)
		}
	})
	if shown == 0 && n >= 25 { // with -short there are 5 cases, and all may have no difference to show
		t.Error("no difference was shown")
	}
	t.Logf("%d differences of %d cases", shown, n)
}

func cursorOf(t *rapid.T, blocks []string) int64 {
	t.Helper()
	var rec struct{ Cursor int64 }
	testkit.Must(t, json.Unmarshal([]byte(blocks[0]), &rec))
	return rec.Cursor
}

package linediff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
)

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

var chunkTests = []struct {
	name     string
	old, new string
	context  int
	want     string
}{
	{"both empty", "", "", 0, `[]`},
	{"same", "a\nb\n", "a\nb\n", 0, `[{"op":"equal","count":2}]`},
	{"same, all lines", "a\nb", "a\nb", -1, `[{"op":"equal","lines":["a","b"],"no_newline":true}]`},
	{"from empty", "", "a\n\n", 0, `[{"op":"add","lines":["a",""]}]`},
	{"to empty", "a", "", 0, `[{"op":"remove","lines":["a"],"no_newline":true}]`},
	{"replaced", "a\nb\nc\n", "a\nx\nc\n", 0,
		`[{"op":"equal","count":1},{"op":"remove","lines":["b"]},{"op":"add","lines":["x"]},{"op":"equal","count":1}]`},
	{"newline added", "a\nb", "a\nb\n", 0,
		`[{"op":"equal","count":1},{"op":"remove","lines":["b"],"no_newline":true},{"op":"add","lines":["b"]}]`},
	{"newline removed", "a\nb\n", "a\nb", 0,
		`[{"op":"equal","count":1},{"op":"remove","lines":["b"]},{"op":"add","lines":["b"],"no_newline":true}]`},
	{"equal last line unended", "x\na", "a", 0, `[{"op":"remove","lines":["x"]},{"op":"equal","count":1,"no_newline":true}]`},
	{"equal last line ended in old only", "a\n", "a\nb", 0, `[{"op":"equal","count":1},{"op":"add","lines":["b"],"no_newline":true}]`},
	{"carriage return", "a\r\nb\r\n", "a\nb\r\n", 0,
		`[{"op":"remove","lines":["a\r"]},{"op":"add","lines":["a"]},{"op":"equal","count":1}]`},
	{"escapes", "", "<&>\"\\\t\x00\u2028é\xff\n", 0, `[{"op":"add","lines":["<&>\"\\\t\u0000` + "\u2028é\uFFFD" + `"]}]`},
	{"context 2 between changes", "x\n" + tenLines + "x\n", "y\n" + tenLines + "y\n", 2,
		`[{"op":"remove","lines":["x"]},{"op":"add","lines":["y"]},` +
			`{"op":"equal","lines":["1","2"]},{"op":"equal","count":6},{"op":"equal","lines":["9","10"]},` +
			`{"op":"remove","lines":["x"]},{"op":"add","lines":["y"]}]`},
	{"context 4 leaves 2", "x\n" + tenLines + "x\n", tenLines, 4,
		`[{"op":"remove","lines":["x"]},{"op":"equal","lines":["1","2","3","4"]},{"op":"equal","count":2},` +
			`{"op":"equal","lines":["7","8","9","10"]},{"op":"remove","lines":["x"]}]`},
	{"context 5 leaves none", "x\n" + tenLines + "x\n", tenLines, 5,
		`[{"op":"remove","lines":["x"]},{"op":"equal","lines":["1","2","3","4","5","6","7","8","9","10"]},{"op":"remove","lines":["x"]}]`},
	{"context at the start", tenLines + "x\n", tenLines, 3,
		`[{"op":"equal","count":7},{"op":"equal","lines":["8","9","10"]},{"op":"remove","lines":["x"]}]`},
	{"context at the end", "x\n" + tenLines, tenLines, 3,
		`[{"op":"remove","lines":["x"]},{"op":"equal","lines":["1","2","3"]},{"op":"equal","count":7}]`},
	{"context at the unended end", "x\na\nb\nc", "a\nb\nc", 1,
		`[{"op":"remove","lines":["x"]},{"op":"equal","lines":["a"]},{"op":"equal","count":2,"no_newline":true}]`},
	{"context covers the end", "x\na\nb", "a\nb", 2, `[{"op":"remove","lines":["x"]},{"op":"equal","lines":["a","b"],"no_newline":true}]`},
	{"all lines", "a\nb\nx\n", "a\nb\ny\n", -1,
		`[{"op":"equal","lines":["a","b"]},{"op":"remove","lines":["x"]},{"op":"add","lines":["y"]}]`},
	{"greatest context", "x\na\nx\n", "a\n", int(^uint(0) >> 1),
		`[{"op":"remove","lines":["x"]},{"op":"equal","lines":["a"]},{"op":"remove","lines":["x"]}]`},
}

func TestChunks(t *testing.T) {
	for _, tt := range chunkTests {
		t.Run(tt.name, func(t *testing.T) {
			chunks := linediff.Compare([]byte(tt.old), []byte(tt.new)).Chunks(tt.context)
			if diff := cmp.Diff(tt.want, string(linediff.AppendJSON(nil, chunks))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got, err := linediff.Apply([]byte(tt.old), chunks); err != nil || string(got) != tt.new {
				t.Errorf("applied is %q, %v; want %q", got, err, tt.new)
			}
		})
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n": 1, "\n\n": 2, "\r": 1} {
		if got := linediff.Lines([]byte(text)); got != want {
			t.Errorf("Lines(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestAppendJSONIsWhatEncodingJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "line")
		encoded := linediff.AppendJSON([]byte("x"), []linediff.Chunk{{Op: linediff.Add, Lines: []string{string(line)}}})
		var got []struct{ Lines []string }
		testkit.Must(t, json.Unmarshal(encoded[1:], &got))
		var want string // encoding/json also makes U+FFFD of each byte that is not UTF-8
		b, _ := json.Marshal(string(line))
		_ = json.Unmarshal(b, &want)
		if got[0].Lines[0] != want {
			t.Fatalf("%q became %q, want %q", line, got[0].Lines[0], want)
		}
	})
}

func TestApplyRefusesWhatDoesNotFit(t *testing.T) {
	equal := func(n int) linediff.Chunk { return linediff.Chunk{Count: n} }
	tests := []struct {
		name   string
		old    string
		chunks []linediff.Chunk
	}{
		{"nothing of something", "a\n", nil},
		{"too few", "a\nb\n", []linediff.Chunk{equal(1)}},
		{"too many", "a\nb\n", []linediff.Chunk{equal(3)}},
		{"an empty line at the end", "a\n", []linediff.Chunk{{Op: linediff.Remove, Lines: []string{"a", ""}}}},
		{"other removed line", "a\n", []linediff.Chunk{{Op: linediff.Remove, Lines: []string{"b"}}}},
		{"text has no newline", "a", []linediff.Chunk{equal(1)}},
		{"removed has a newline", "a\n", []linediff.Chunk{{Op: linediff.Remove, Lines: []string{"a"}, NoNewline: true}}},
		{"negative count", "a\n", []linediff.Chunk{equal(1), equal(-1)}},
		{"no lines", "a\n", []linediff.Chunk{equal(1), {Op: linediff.Add}}},
		{"zero chunk", "", []linediff.Chunk{{}}},
		{"count and lines", "a\n", []linediff.Chunk{{Count: 1, Lines: []string{"a"}}}},
		{"unknown operation", "a\n", []linediff.Chunk{{Op: 3, Lines: []string{"a"}}}},
		{"line feed in a line", "a\nb\n", []linediff.Chunk{{Lines: []string{"a\nb"}}}},
		{"add after an unended line", "a", []linediff.Chunk{{Count: 1, NoNewline: true}, {Op: linediff.Add, Lines: []string{"b"}}}},
		{"equal after an unended line", "a\n", []linediff.Chunk{{Op: linediff.Add, Lines: []string{"b"}, NoNewline: true}, equal(1)}},
		{"an unended empty line", "", []linediff.Chunk{{Op: linediff.Add, Lines: []string{""}, NoNewline: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := linediff.Apply([]byte(tt.old), tt.chunks)
			if !errors.Is(err, linediff.ErrMismatch) || got != nil {
				t.Errorf("Apply gives %q, %v; want %v", got, err, linediff.ErrMismatch)
			}
		})
	}
}

// The chunks of one text do not fit another, and Apply must not panic over any.
func TestApplyToAnotherText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts(t)
		other, _ := texts(t)
		chunks := linediff.Compare(old, new).Chunks(-1)
		got, err := linediff.Apply(other, chunks)
		if same := string(old) == string(other); (err == nil) != same {
			t.Fatalf("Apply to %q gives %q, %v; the old text is %q", other, got, err, old)
		}
	})
}

func Example() {
	old := []byte("# Plan\n\n1. read the logs\n2. find the cause\n3. write it down\n")
	new := []byte("# Plan\n\n1. read the logs\n2. find the cause: the disk is full\n3. write it down\n4. tell Ada")

	d := linediff.Compare(old, new)
	chunks := d.Chunks(0)
	fmt.Println(strings.ReplaceAll(string(linediff.AppendJSON(nil, chunks)), "},", "},\n "))

	again, err := linediff.Apply(old, chunks)
	fmt.Println(string(again) == string(new), err)
	// Output:
	// [{"op":"equal","count":3},
	//  {"op":"remove","lines":["2. find the cause"]},
	//  {"op":"add","lines":["2. find the cause: the disk is full"]},
	//  {"op":"equal","count":1},
	//  {"op":"add","lines":["4. tell Ada"],"no_newline":true}]
	// true <nil>
}

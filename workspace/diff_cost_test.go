package workspace_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// fullCost returns what a model pays for an answer with the whole file, and diffCost for
// one with the chunks: the line of the record and the body, as the MCP tool sends them.
func fullCost(version int64, content []byte) int {
	record := fmt.Sprintf(`{"path":"notes/plan.md","current_version":%d,"bytes":%d,"lines":%d}`, version, len(content), linediff.Lines(content))
	return o200k.Count(record) + o200k.Count(string(content))
}

func diffCost(version, since int64, chunks []linediff.Chunk) int {
	return o200k.Count(fmt.Sprintf(`{"path":"notes/plan.md","current_version":%d,"since_version":%d,"version_too_old":false,"diff":%s}`,
		version, since, linediff.AppendJSON(nil, chunks)))
}

// TestDiffIsNeverDearer writes a text and an edit of it, and counts both answers exactly.
// A diff that is sent costs no more than the file, also of texts whose tokens are hardest to
// estimate.
func TestDiffIsNeverDearer(t *testing.T) {
	testkit.SkipInShort(t)
	exact := hostileKinds()
	maps.Copy(exact, textKinds(t))
	maps.Copy(exact, languageKinds())
	for name, kinds := range map[string]map[string]func(*rand.Rand) string{
		"texts": textKinds(t), "hostile texts": hostileKinds(), "counted exactly": exact,
	} {
		t.Run(name, func(t *testing.T) {
			testkit.ScaleChecks(t, testkit.Pick(4, 4, 8), 1)
			c := &diffCosts{ws: newWorkspace(t, workspace.Options{})}
			if _, ok := kinds["lao"]; ok {
				c.ws = newWorkspace(t, workspace.Options{CountTokens: o200k.Count})
			}
			names := slices.Sorted(maps.Keys(kinds))
			for i, name := range names { // a diff that is sent, and one that is not, of each kind
				if i%8 > 0 && !testkit.Long() {
					continue
				}
				old := drawLines(rand.New(rand.NewPCG(1, 0)), 200, kinds[name])
				c.compare(t, strings.Join(old, "\n"), strings.Join(append(old[:199:199], "the end"), "\n"))
				c.compare(t, old[0], "another")
			}
			if c.sent == 0 || c.refused == 0 {
				t.Errorf("%d diffs were sent and %d refused, want some of both", c.sent, c.refused)
			}
			rapid.Check(t, func(t *rapid.T) {
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				line, other := kinds[pick(names...).Draw(t, "text")], kinds[pick(names...).Draw(t, "other text")]
				old := drawText(t, r, line, other)
				text := drawEdit(t, r, old, line, other)
				end := func() string { return pick("\n", "\n", "").Draw(t, "end") }
				c.compare(t, strings.Join(old, "\n")+end(), strings.Join(text, "\n")+end())
			})
			t.Logf("%d diffs sent, %d refused", c.sent, c.refused)
		})
	}
}

// A diffCosts counts what diffs cost, and how many were sent.
type diffCosts struct {
	ws            *workspace.Workspace
	sent, refused int
}

// compare writes a text and another, and reads the second since the first.
func (c *diffCosts) compare(t rapid.TB, before, after string) {
	ctx := context.Background()
	_, err := c.ws.WriteFile(ctx, "notes/plan.md", []byte(before), workspace.WriteOptions{})
	w, err2 := c.ws.WriteFile(ctx, "notes/plan.md", []byte(after), workspace.WriteOptions{})
	testkit.Must(t, errors.Join(err, err2))
	for lines := range 4 {
		res, err := c.ws.ReadFile(ctx, "notes/plan.md", workspace.ReadOptions{Since: w.Version - 1, Context: lines})
		testkit.Must(t, err)
		if res.Diff == nil {
			c.refused++
			continue
		}
		c.sent++
		for _, version := range []int64{2, 98_765} {
			if dear := diffCost(version, version-1, res.Diff) - fullCost(version, []byte(after)); dear > 0 {
				t.Fatalf("the diff with context %d costs %d tokens more than the file, at version %d; the diff:\n%s\nthe file:\n%s",
					lines, dear, version, linediff.AppendJSON(nil, res.Diff), after)
			}
		}
	}
}

// drawLines returns n lines of a kind.
func drawLines(r *rand.Rand, n int, line func(*rand.Rand) string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line(r)
	}
	return lines
}

func drawText(t *rapid.T, r *rand.Rand, line, other func(*rand.Rand) string) []string {
	n := pick(1, 2, 3, 5, 8, 10, 20, 40, 200).Draw(t, "lines")
	mixed := pick(0, 0, 0, 3, 10).Draw(t, "mixed")
	lines := make([]string, n)
	for i := range lines {
		if lines[i] = line(r); r.IntN(10) < mixed {
			lines[i] = other(r)
		}
	}
	return lines
}

// drawEdit changes some lines in one or two of the ways in which texts change.
func drawEdit(t *rapid.T, r *rand.Rand, old []string, line, other func(*rand.Rand) string) []string {
	text := slices.Clone(old)
	for range pick(1, 1, 2).Draw(t, "edits") {
		at := r.IntN(len(text) + 1)
		some := min(pick(1, 1, 2, 3, 8, len(text)/4, len(text)/3, len(text)/2, 200).Draw(t, "some"), len(text)-at)
		block := slices.Clone(text[at : at+some])
		switch pick("change", "change", "touch", "insert", "remove", "move", "scatter", "all", "other", "same").Draw(t, "edit") {
		case "change":
			for i := range some {
				text[at+i] = line(r)
			}
		case "other":
			for i := range some {
				text[at+i] = other(r)
			}
		case "touch":
			for i := range some {
				text[at+i] += pick("!", "\r", `"`, " ", "é").Draw(t, "touch")
			}
		case "insert":
			for range some + 1 {
				text = slices.Insert(text, at, line(r))
			}
		case "remove":
			text = slices.Delete(text, at, at+some)
		case "move":
			text = slices.Delete(text, at, at+some)
			text = slices.Insert(text, r.IntN(len(text)+1), block...)
		case "scatter":
			for range some {
				text[r.IntN(len(text))] = line(r)
			}
		case "all":
			for i := range text {
				text[i] = line(r)
			}
		}
	}
	return text
}

// textKinds returns sources of lines: files of many languages, and the output of
// programs.
func textKinds(t testing.TB) map[string]func(*rand.Rand) string {
	kinds := map[string]func(*rand.Rand) string{
		"json": func(r *rand.Rand) string {
			return fmt.Sprintf(`{"id":%d,"name":"user %s","tags":["%s","b\\c"],"ok":%t}`, r.IntN(1e5), letters(r, 5), letters(r, 3), r.IntN(2) == 0)
		},
		"log": func(r *rand.Rand) string {
			return fmt.Sprintf("2026-11-21T04:%02d:%02d.%03dZ INFO request id=%08x status=%d took=%dms", r.IntN(60), r.IntN(60), r.IntN(1000), r.Uint32(), 200+r.IntN(300), r.IntN(900))
		},
		"numbers": func(r *rand.Rand) string { return fmt.Sprintf("%d %d,%.3f", r.IntN(1e9), r.IntN(100), r.Float64()*1e4) },
		"base64": func(r *rand.Rand) string {
			b := make([]byte, 48)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return base64.StdEncoding.EncodeToString(b)
		},
		"control": func(r *rand.Rand) string {
			return "\x1b[3" + fmt.Sprint(r.IntN(8)) + "m" + letters(r, 4) + "\x1b[0m\x00"
		},
		"short":  func(r *rand.Rand) string { return string(rune('a' + r.IntN(26))) },
		"blank":  func(r *rand.Rand) string { return strings.Repeat(" ", r.IntN(3)) },
		"hex":    func(r *rand.Rand) string { return fmt.Sprintf("%016x %016x", r.Uint64(), r.Uint64()) },
		"spaces": func(r *rand.Rand) string { return strings.Repeat(" ", 60) + letters(r, 1) },
		"rules":  func(r *rand.Rand) string { return strings.Repeat("=-*#"[r.IntN(4):][:1], 40+r.IntN(40)) },
		"quoted": func(r *rand.Rand) string {
			return fmt.Sprintf("\t\t\"%s\": \"C:\\\\%s\\\\%s\",", letters(r, 4), letters(r, 6), letters(r, 3))
		},
	}
	paths, err := filepath.Glob("../tokens/testdata/*/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("Glob = %d paths, %v, want the corpus of package tokens", len(paths), err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		testkit.Must(t, err)
		lines := strings.Split(string(content), "\n")
		kinds[path] = func(r *rand.Rand) string { return lines[r.IntN(len(lines))] }
	}
	return kinds
}

// hostileKinds returns sources of lines that cost much more as JSON than as text, or
// whose estimate is too low or too high.
func hostileKinds() map[string]func(*rand.Rand) string {
	words := func(text string) func(*rand.Rand) string {
		list := strings.Fields(text)
		return func(r *rand.Rand) string {
			line := make([]string, 8)
			for i := range line {
				line[i] = list[r.IntN(len(list))]
			}
			return strings.Join(line, " ")
		}
	}
	return map[string]func(*rand.Rand) string{
		"quotes":      func(r *rand.Rand) string { return strings.Repeat(`"`, r.IntN(60)) + letters(r, 2) },
		"backslashes": func(r *rand.Rand) string { return strings.Repeat(`\`, r.IntN(60)) + letters(r, 2) },
		"escaped":     func(r *rand.Rand) string { return strings.Repeat(`\"`, r.IntN(20)) + "\t\t" + letters(r, 2) },
		"tabs":        func(r *rand.Rand) string { return strings.Repeat("\t", r.IntN(60)) + letters(r, 2) },
		"returns":     func(r *rand.Rand) string { return strings.Repeat("\r", r.IntN(60)) + letters(r, 2) },
		"controls":    func(r *rand.Rand) string { return strings.Repeat("\x00\x01", r.IntN(30)) + letters(r, 2) },
		"polish":      words("źdźbło chrząszcz brzmi w trzcinie szczęście gżegżółka pięćdziesiąt źrebię bezwzględny następstwo łódź"),
		"vietnamese":  words("những người được không với cũng nhưng chúng trường nghiệp thuyết giữa người đường phải"),
		"rare":        func(r *rand.Rand) string { return strings.Repeat(string(rune(0x12000+r.IntN(200))), 1+r.IntN(20)) },
	}
}

// languageKinds returns sources of lines in languages whose estimate is far too low.
func languageKinds() map[string]func(*rand.Rand) string {
	kinds := map[string]func(*rand.Rand) string{}
	for name, text := range map[string]string{
		"lao":      "ການ ບັນທຶກ ຂອງ ຜູ້ຊ່ວຍ ແມ່ນ ຖືກ ເກັບໄວ້ ໃນ ຖານຂໍ້ມູນ ດຽວ",
		"basque":   "laguntzailearen oharrak datu-base bakarrean gordetzen dira eta inork ezin ditu irakurri",
		"swahili":  "kumbukumbu zote huhifadhiwa katika hifadhidata moja na hakuna mwingine anayeweza kuzisoma",
		"georgian": "ჩანაწერები ინახება ერთ მონაცემთა ბაზაში და სხვა ვერავინ წაიკითხავს",
		"burmese":  "မှတ်စုများကို ဒေတာဘေ့စ်တစ်ခုတည်းတွင် သိမ်းဆည်းထားသည် အခြားမည်သူမျှ မဖတ်နိုင်ပါ",
	} {
		words := strings.Fields(text)
		kinds[name] = func(r *rand.Rand) string {
			line := ""
			for range 3 + r.IntN(9) {
				line += words[r.IntN(len(words))] + " "
			}
			return strings.TrimSpace(line)
		}
	}
	return kinds
}

func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

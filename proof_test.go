package scratchpad_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A proofRow is a row of the table in docs/proof.md.
type proofRow struct {
	anchors                    []string
	promise, tests, bug, forms string // forms are the commands, with their times
}

var (
	proofAnchor  = regexp.MustCompile(`<a id="([a-z-]+)"></a>`)
	proofTest    = regexp.MustCompile("`([a-zA-Z0-9_/-]+)\\.((?:Test|Fuzz)\\w+)`")
	proofCommand = regexp.MustCompile("`((?:[A-Z_]+=\\w+ )?go [^`]+)`")
	proofLink    = regexp.MustCompile(`proof\.md#([\w-]*)`)
)

// Every row of docs/proof.md has its five cells, names tests that exist, and has a command that
// runs each of them. Every link to a row finds it. SECURITY.md links a row for each promise.
func TestProof(t *testing.T) {
	rows, problems := parseProof(testkit.ReadFile(t, "docs/proof.md"))
	if len(rows) < 25 {
		t.Errorf("docs/proof.md has %d rows", len(rows))
	}
	anchors, known := map[string]bool{}, map[string][]string{}
	tests := func(folder string) []string {
		if known[folder] == nil {
			known[folder] = testsIn(folder)
		}
		return known[folder]
	}
	for _, r := range rows {
		for _, a := range r.anchors {
			if anchors[a] {
				problems = append(problems, a+": another row has this anchor")
			}
			anchors[a] = true
		}
		problems = append(problems, r.check(tests)...)
	}
	pages := []string{"README.md", "SECURITY.md"}
	for _, where := range []string{"docs/*.md", "docs/*/*.md"} {
		more, err := filepath.Glob(where)
		testkit.Must(t, err)
		pages = append(pages, more...)
	}
	for _, page := range pages {
		for _, link := range proofLink.FindAllStringSubmatch(testkit.ReadFile(t, page), -1) {
			if !anchors[link[1]] {
				problems = append(problems, fmt.Sprintf("%s links proof.md#%s, and there is no such row", page, link[1]))
			}
		}
	}
	for _, promise := range promises(testkit.ReadFile(t, "SECURITY.md")) {
		if !proofLink.MatchString(promise) {
			problems = append(problems, fmt.Sprintf("SECURITY.md promises %.60q without a link to a row", promise))
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// promises returns the points of the section of SECURITY.md that promises.
func promises(security string) []string {
	_, section, _ := strings.Cut(security, "\n## What we promise\n")
	section, _, _ = strings.Cut(section, "\n## ")
	points := strings.Split(section, "\n- ")
	return points[1:]
}

// parseProof reads the rows of the table.
func parseProof(text string) (rows []proofRow, problems []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Promise ") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|\n"), `\|`, "\x00"), "|")
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
		}
		var anchors []string
		for _, a := range proofAnchor.FindAllStringSubmatch(cells[0], -1) {
			anchors = append(anchors, a[1])
		}
		promise := proofAnchor.ReplaceAllString(cells[0], "")
		if len(cells) != 5 || slices.Contains(cells, "") || promise == "" || anchors == nil {
			problems = append(problems, fmt.Sprintf("%.60q has not five cells, the first with an anchor", line))
			continue
		}
		rows = append(rows, proofRow{anchors, promise, cells[1], cells[2], cells[3]})
	}
	return rows, problems
}

// check returns what is wrong with a row. in returns the tests in a folder.
func (r proofRow) check(in func(folder string) []string) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, r.anchors[0]+": "+fmt.Sprintf(format, args...))
	}
	tests := proofTest.FindAllStringSubmatch(r.tests, -1)
	if others := strings.Trim(proofTest.ReplaceAllString(r.tests, ""), ", "); len(tests) == 0 || others != "" {
		wrong("tests are %q", r.tests)
	}
	planted := proofTest.FindAllStringSubmatch(r.bug, -1)
	if len(planted) == 0 && !strings.Contains(r.bug, "Seen failing with") {
		wrong("no bug")
	}
	for _, test := range append(tests, planted...) {
		if !slices.Contains(in(test[1]), test[2]) {
			wrong("there is no %s in %s", test[2], test[1])
		}
	}
	ran := map[string]bool{}
	for _, command := range proofCommand.FindAllStringSubmatch(r.forms, -1) {
		found, problem := runBy(command[1], in)
		if problem != "" {
			wrong("%s: %s", command[1], problem)
		}
		for _, test := range found {
			ran[test] = true
		}
	}
	for _, test := range tests {
		if !ran[test[1]+"."+test[2]] {
			wrong("no command runs %s.%s", test[1], test[2])
		}
	}
	return problems
}

// runBy returns the tests that a command runs. A part of -run that matches none is a problem, and
// so is a folder that does not exist.
func runBy(command string, in func(folder string) []string) (tests []string, problem string) {
	words := strings.Fields(command)
	folder, run, folders := ".", "", []string(nil)
	isTest := false
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "test":
			isTest = true
		case w == "-C" || w == "-run" || w == "-timeout":
			if i++; w == "-C" {
				folder = words[i]
			} else if w == "-run" {
				run = strings.Trim(words[i], "'")
			}
		case w == "." || strings.HasPrefix(w, "./"):
			folders = append(folders, path.Join(folder, w))
		}
	}
	var all []string
	for _, f := range folders {
		if info, err := os.Stat(f); err != nil || !info.IsDir() {
			return nil, f + " is no folder"
		}
		for _, test := range in(f) {
			all = append(all, f+"."+test)
		}
	}
	if !isTest {
		return nil, ""
	}
	for part := range strings.SplitSeq(run, "|") {
		part, _, _ = strings.Cut(part, "/")
		is, err := regexp.Compile(part)
		if err != nil {
			return nil, err.Error()
		}
		found := slices.DeleteFunc(slices.Clone(all), func(t string) bool {
			return !is.MatchString(t[strings.LastIndexByte(t, '.')+1:])
		})
		if len(found) == 0 {
			return nil, "-run " + part + " names no test"
		}
		tests = append(tests, found...)
	}
	return tests, ""
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// testsIn returns the names of the tests in a folder, those with build tags too.
func testsIn(folder string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	for _, file := range files {
		source, _ := os.ReadFile(file)
		for _, found := range testFunction.FindAllSubmatch(source, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}

// The check finds a row that is not right.
func TestProofFindsMistakes(t *testing.T) {
	in := func(string) []string { return []string{"TestOne", "TestOneFindsBugs", "TestTwo"} }
	const good = "| <a id=\"one\"></a>A promise. | `pad.TestOne` | `pad.TestOneFindsBugs`: a bug | `go test ./pad -run One`, 1 s | All else |\n"
	for name, c := range map[string]struct{ old, changed, want string }{
		"nothing":              {"", "", ""},
		"no anchor":            {`<a id="one"></a>`, "", "five cells"},
		"an empty cell":        {"All else", "", "five cells"},
		"a test that is gone":  {"`pad.TestOne`", "`pad.TestFour`", "there is no TestFour in pad"},
		"a bug that is gone":   {"TestOneFindsBugs", "TestFourFindsBugs", "there is no TestFourFindsBugs in pad"},
		"no bug":               {"`pad.TestOneFindsBugs`: a bug", "none", "no bug"},
		"no test":              {"`pad.TestOne`", "some", "tests are"},
		"a test and more":      {"`pad.TestOne`", "`pad.TestOne`, some", "tests are"},
		"another test is run":  {"-run One", "-run Two", "no command runs pad.TestOne"},
		"another package":      {"./pad", "./tokens", "no command runs pad.TestOne"},
		"no package":           {"./pad", "./nothing", "is no folder"},
		"a part that is wrong": {"-run One", `-run One\|Three`, "-run Three names no test"},
	} {
		rows, problems := parseProof(strings.Replace(good, c.old, c.changed, 1))
		for _, r := range rows {
			problems = append(problems, r.check(in)...)
		}
		if got := strings.Join(problems, "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

package workspace

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A section is a part of a Markdown text: a heading, and the lines up to the next heading of its
// level or above.
type section struct {
	LineRange
	heading     string
	level, like int
}

// nearestSections is how many headings an error names.
const nearestSections = 5

// headingForm has the text of a heading without the number signs around it, and headingMarks
// takes out the marks of Markdown.
var (
	headingForm  = regexp.MustCompile(`(?s)^\s*#*\s*(.*?)(?:\s+#+)?\s*$`)
	headingMarks = strings.NewReplacer("*", "", "_", "", "`", "")
)

// plainHeading returns a heading in the form in which headings are compared: without number
// signs, marks of Markdown, marks of letters, and upper case.
func plainHeading(line string) string {
	return search.Plain(headingMarks.Replace(headingForm.FindStringSubmatch(line)[1]))
}

// sectionOf returns the lines of the section with a heading. Errors: [ErrNotFound] if there is
// none, and [ErrInvalid] if there are several.
func sectionOf(text []byte, lines int, heading string) (LineRange, error) {
	want := plainHeading(heading)
	found := sections(text, lines, func(h string) int {
		if h == want {
			return 1
		}
		return 0
	})
	if len(found) == 1 {
		return found[0].LineRange, nil
	}
	kind, says := ErrInvalid, "several sections have this heading: "
	if found == nil {
		kind, says = ErrNotFound, "no section has this heading; the nearest are "
		if found = sections(text, lines, func(h string) int { return 1 + alike(h, want) }); found == nil {
			return LineRange{}, Errorf(kind, "the file has no headings; read it without %s", store.ArgSection)
		}
	}
	var list []string
	for _, s := range found {
		list = append(list, fmt.Sprintf("%.200q in lines %d-%d", s.heading, s.From, s.To))
	}
	return LineRange{}, Errorf(kind, "%s%s; read one with %s and %s", says, strings.Join(list, ", "), store.ArgFromLine,
		store.ArgToLine)
}

// sections returns the sections whose headings are most like what is wanted, the best first. It
// leaves out those with a like of 0.
func sections(text []byte, lines int, like func(heading string) int) (best []section) {
	var reader markdown.Reader
	for line := 1; len(text) > 0; {
		l := reader.Next(text)
		if l.Kind == markdown.Heading {
			for i := range best {
				if s := &best[i]; s.To == 0 && l.Level <= s.level {
					s.To = line - 1
				}
			}
			first, _, _ := strings.Cut(string(text[:l.Size]), "\n")
			if n := like(plainHeading(first)); n > 0 {
				best = append(best, section{LineRange{From: line}, strings.TrimSpace(first), l.Level, n})
				slices.SortStableFunc(best, func(a, b section) int { return b.like - a.like })
				best = best[:min(len(best), nearestSections)]
			}
		}
		line += bytes.Count(text[:l.Size], []byte("\n"))
		text = text[l.Size:]
	}
	for i := range best {
		if best[i].To == 0 {
			best[i].To = lines
		}
	}
	return best
}

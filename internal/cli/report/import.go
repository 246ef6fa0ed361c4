package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
)

// An Import is what an import did, or would do.
type Import struct {
	Dir    string `json:"dir"`
	From   string `json:"from,omitempty"` // the program whose memory it is
	Agent  string `json:"agent_id"`
	DryRun bool   `json:"dry_run,omitempty"`
	transfer.Imported
}

// Print writes a line for each path that changed or was left out, one line for all paths that
// were kept, one for all names that were skipped, and a sum.
func (a Import) Print(out io.Writer) error {
	would := ""
	if a.DryRun {
		would = "would be "
	}
	sum := map[string]int{}
	for _, c := range a.Changes {
		what := "changed"
		if c.New {
			what = "new"
		}
		sum[what]++
		detail := fmt.Sprintf("version %d", c.Version)
		switch {
		case c.Kind == "log":
			detail = phrase.Entries(c.Entries) + " " + would + "added"
		case a.DryRun:
			detail = phrase.Plural(c.Versions, "version") + " " + would + "added"
		case c.Versions > 1:
			detail += fmt.Sprintf(", %d versions restored", c.Versions)
		}
		kind := c.Kind
		if kind == "deleted file" { // its column is for the short ones
			kind, detail = "file", "deleted, "+detail
		}
		fmt.Fprintf(out, "%-8s %-5s %s: %s\n", what, kind, terminal.OneLine(c.Path), detail)
	}
	for _, l := range a.LeftOut {
		fmt.Fprintf(out, "%-8s %s: %s\n", "left out", terminal.OneLine(l.Name), terminal.OneLine(l.Reason))
	}
	if len(a.Kept) > 0 {
		fmt.Fprintf(out, "%-8s %s: edited, moved or deleted here; to take the other's, run scratchpad files write\n",
			"kept", first(a.Kept, 0))
	}
	why, from := "hidden, or made by a program for itself; --all imports them", ""
	if a.From != "" {
		why = "no memory of " + a.From
		from = fmt.Sprintf("; from %s in %s", a.From, terminal.OneLine(a.Dir))
	}
	if len(a.Skipped) > 0 {
		fmt.Fprintf(out, "%-8s %s: %s\n", "skipped", first(a.Skipped, a.Passed), why)
	}
	_, err := fmt.Fprintf(out, "agent %s: %d %snew, %d %schanged, %d the same, %d left out%s\n", a.Agent, sum["new"],
		would, sum["changed"], would, a.Same, int64(len(a.LeftOut))+a.Omitted, from)
	return err
}

// first returns the first of all names, and how many more there are.
func first(all []string, more int64) string {
	const most = 10
	names := slices.Clone(all[:min(len(all), most)])
	for i, name := range names {
		names[i] = terminal.OneLine(name)
	}
	text := strings.Join(names, ", ")
	if more += int64(len(all) - len(names)); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

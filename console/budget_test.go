package console_test

import (
	"context"
	"net/http"
	"regexp"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// maxPage is how many bytes a page may have with its stylesheet and its script, on a nearly
// empty database.
const maxPage = 60_000

// asset finds the stylesheet and the script of a page.
var asset = regexp.MustCompile(`(?:href|src)="(/static/[^"]+\.(?:css|js)[^"]*)"`)

// Every page is small.
func TestPageBytes(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	write(t, svc, "a", "plan.md", "# Plan\n\nOne step.\n")
	write(t, svc, "a", "plan.md", "# Plan\n\nTwo steps.\n")
	appendLog(t, svc, "a", "plan.md", workspace.Author{}, "one", "two")
	b := open(t, console.Options{
		Version: "1.2.3", People: people{"ada": everybody(svc)}, Keys: &keyring{},
		Health: func(context.Context) (console.Health, error) {
			return console.Health{Checks: []console.Check{{Name: "database", Status: console.StatusOK, Text: "sound"}}}, nil
		},
	}, "ada")
	for _, address := range []string{
		"/", "/?order=name", "/health", "/keys", "/search?q=plan", "/a/a", "/a/a/changes", "/a/a/search?q=plan", "/a/a/summaries", "/a/a/new",
		"/a/a/files/plan.md", "/a/a/files/plan.md?view=source", "/a/a/files/plan.md?v=1", "/a/a/files/plan.md?diff=1..2", "/a/a/files/plan.md?diff=1..2&as=split",
		"/a/a/files/plan.md?view=edit", "/a/a/files/plan.md?view=move", "/a/a/files/plan.md?view=delete", "/a/a/logs/plan.md", "/a/a/logs/plan.md?view=trim",
	} {
		status, page := b.get(address)
		n, assets := len(page), asset.FindAllStringSubmatch(page, -1)
		for _, m := range assets {
			_, text := b.get(m[1])
			n += len(text)
		}
		if status != http.StatusOK || len(assets) != 2 || n > maxPage {
			t.Errorf("%s: status %d, %d bytes with %d assets, want %d at most with 2", address, status, n, len(assets), maxPage)
		}
	}
}

package browser

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

// A violation is what axe-core finds. Its JSON is axe-core's.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for i, n := range v.Nodes {
		if i == 5 {
			fmt.Fprintf(&b, "\n\tand %d more", len(v.Nodes)-i)
			break
		}
		fmt.Fprintf(&b, "\n\t%.300s\n\t\t%s", n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", "\n\t\t"))
	}
	return b.String()
}

// runAxe has the default rules and target-size. iframes are no part of the console.
const runAxe = `axe.run(document, {rules: {"target-size": {enabled: true}}, resultTypes: ["violations"], preload: false})
	.then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help,
		Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary || ""}))})))`

// violations runs axe-core on the page as it is now, in a world of its own: the page does
// not see the script, and its Content Security Policy does not stop it.
func (p *tab) violations() []violation {
	p.t.Helper()
	source, err := axeSource()
	must(p.t, err)
	if p.view.noScript { // axe-core needs timers
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
		defer call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	frame := call(p, page.GetFrameTree, cdp.Empty{}).FrameTree.Frame.ID
	world := call(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "axe"}).ExecutionContextID
	loaded, err := tryEvaluate[bool](p, world, "typeof axe === 'object'")
	must(p.t, err)
	if !loaded {
		_, err = tryEvaluate[any](p, world, source+"\n;0")
		must(p.t, err)
	}
	found, err := tryEvaluate[[]violation](p, world, runAxe)
	must(p.t, err)
	return found
}

// accessible checks that axe-core finds no violation.
func (p *tab) accessible() {
	p.t.Helper()
	for _, v := range p.violations() {
		p.t.Errorf("%s at %v: axe-core: %v", p.where(), p.view, v)
	}
}

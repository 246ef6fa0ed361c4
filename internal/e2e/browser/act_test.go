package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A control is something on a page that has a role and a name for people who do not see.
type control struct {
	p          *tab
	node       cdp.BackendNodeID
	role, name string
}

func (c control) String() string { return fmt.Sprintf("%s %q", c.role, c.name) }

// find waits for the one control with a role, such as button, link, textbox or heading. Its
// name is the wanted one or begins with it and goes on with another word. One whose whole
// name it is comes before others.
func (p *tab) find(role, name string) control {
	p.t.Helper()
	return p.one("", role, name)
}

// in is find inside of this control.
func (c control) in(role, name string) control {
	c.p.t.Helper()
	object, err := c.object()
	must(c.p.t, err)
	return c.p.one(object, role, name)
}

func (p *tab) one(root runtime.RemoteObjectID, role, name string) (found control) {
	p.t.Helper()
	var err error
	if !p.wait(patience, func() bool { found, err = p.lookupOne(root, role, name); return err == nil }) {
		p.t.Fatalf("at %s: %v", p.where(), err)
	}
	return found
}

func (p *tab) lookupOne(root runtime.RemoteObjectID, role, name string) (control, error) {
	all, err := p.lookup(root, role, name)
	switch {
	case err != nil:
		return control{}, err
	case len(all) == 0:
		every, _ := p.lookup(root, role, "")
		return control{}, fmt.Errorf("there is no %s %q; there are %.30v", role, name, every)
	case len(all) > 1:
		return control{}, fmt.Errorf("there are %d of %s %q: %v", len(all), role, name, all)
	}
	return all[0], nil
}

// all returns all controls with a role whose names are the wanted one, or begin with it,
// in the order of the page. It does not wait.
func (p *tab) all(role, name string) []control {
	p.t.Helper()
	found, err := p.lookup("", role, name)
	must(p.t, err)
	return found
}

// none checks that there is no such control, without waiting.
func (p *tab) none(role, name string) {
	p.t.Helper()
	if found := p.all(role, name); len(found) > 0 {
		p.t.Errorf("at %s there is %v, want none", p.where(), found)
	}
}

func (p *tab) lookup(root runtime.RemoteObjectID, role, name string) ([]control, error) {
	if root == "" {
		document, err := try(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "document"})
		if err != nil {
			return nil, err
		}
		root = document.Result.ObjectID
		defer try(p, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: root})
	}
	tree, err := try(p, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: root, Role: role})
	if err != nil {
		return nil, err
	}
	var exact, longer []control
	for _, node := range tree.Nodes {
		c := control{p, node.BackendDOMNodeID, axText(node.Role), axText(node.Name)}
		rest, begins := strings.CutPrefix(c.name, name)
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case node.Ignored || !begins:
		case rest == "":
			exact = append(exact, c)
		case name == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next):
			longer = append(longer, c)
		}
	}
	if len(exact) > 0 && name != "" {
		return exact, nil
	}
	return append(exact, longer...), nil
}

func axText(v *accessibility.Value) (text string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &text)
	}
	return text
}

// object returns the element for JavaScript.
func (c control) object() (runtime.RemoteObjectID, error) {
	got, err := try(c.p, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: c.node})
	return got.Object.ObjectID, err
}

// onElement calls a JavaScript function with the element as this.
func onElement[T any](c control, function string, args ...any) (value T, err error) {
	object, err := c.object()
	if err != nil {
		return value, err
	}
	on, params := true, []*runtime.CallArgument(nil)
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			return value, err
		}
		params = append(params, &runtime.CallArgument{Value: text})
	}
	got, err := try(c.p, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: object, FunctionDeclaration: function, Arguments: params, ReturnByValue: &on})
	switch {
	case err != nil:
		return value, err
	case got.ExceptionDetails != nil:
		return value, errors.New(exceptionText(got.ExceptionDetails))
	case len(got.Result.Value) == 0:
		return value, nil
	}
	return value, json.Unmarshal(got.Result.Value, &value)
}

// value returns the text of a field.
func (c control) value() string {
	c.p.t.Helper()
	value, err := onElement[string](c, "function() { return this.value }")
	must(c.p.t, err)
	return value
}

// covered says what a mouse would meet in place of the control.
const covered = `function(x, y) {
	const met = document.elementFromPoint(x, y);
	if (met && (this === met || this.contains(met) || met.contains(this) && met.closest("label, summary, a, button") || met.closest("label")?.control === this)) return "";
	return met ? met.cloneNode().outerHTML.slice(0, 120) : "nothing";
}`

// point scrolls to the control and returns where a mouse meets it.
func (c control) point() (x, y float64, err error) {
	if _, err := try(c.p, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: c.node}); err != nil {
		return 0, 0, err
	}
	got, err := try(c.p, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: c.node})
	if err != nil {
		return 0, 0, err
	}
	if len(got.Quads) == 0 || len(got.Quads[0]) != 8 {
		return 0, 0, fmt.Errorf("%v is not on screen", c)
	}
	for i, v := range got.Quads[0] {
		if i%2 == 0 {
			x += v / 4
		} else {
			y += v / 4
		}
	}
	other, err := onElement[string](c, covered, x, y)
	if err == nil && other != "" {
		err = fmt.Errorf("%v is covered by %s", c, other)
	}
	return x, y, err
}

// click moves the mouse to the control and clicks it. It does not wait for what comes then.
func (c control) click() {
	c.p.t.Helper()
	var x, y float64
	var err error
	if !c.p.wait(patience, func() bool { x, y, err = c.point(); return err == nil }) {
		c.p.t.Fatal(err)
	}
	mouse := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}
	call(c.p, input.DispatchMouseEvent, mouse)
	mouse.Button, mouse.ClickCount, mouse.Type = input.MouseButtonLeft, 1, input.DispatchMouseEventTypeMousePressed
	call(c.p, input.DispatchMouseEvent, mouse)
	mouse.Type = input.DispatchMouseEventTypeMouseReleased
	call(c.p, input.DispatchMouseEvent, mouse)
}

// click finds a control and clicks it.
func (p *tab) click(role, name string) {
	p.t.Helper()
	p.find(role, name).click()
}

// follow clicks a control that leads to another page, and waits until that has loaded.
func (p *tab) follow(role, name string) {
	p.t.Helper()
	p.find(role, name).follow()
}

// follow is click for a control that leads to another page.
func (c control) follow() {
	c.p.t.Helper()
	c.p.loading("a click on "+c.String(), c.click)
}

// fill clicks into a field and types a text over what is there.
func (p *tab) fill(role, name, text string) {
	p.t.Helper()
	p.find(role, name).click()
	p.press("Control+a", "Delete")
	p.write(text)
}

// write types a text into the field that has the focus.
func (p *tab) write(text string) {
	p.t.Helper()
	call(p, input.InsertText, input.InsertTextParams{Text: text})
}

var keyNames = map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Delete": kb.Delete}

// press presses keys, one after the other: one character such as j, or Tab, Enter, Escape or
// Delete, and perhaps Control+ before it.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		var held []chromedp.KeyOption
		name, withControl := strings.CutPrefix(key, "Control+")
		if withControl {
			held = append(held, chromedp.KeyModifiers(chromedp.ModifierCtrl))
		}
		text, known := keyNames[name]
		if !known && utf8.RuneCountInString(name) != 1 {
			p.t.Fatalf("there is no key %q", key)
		} else if !known {
			text = name
		}
		must(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent(text, held...)))
	}
}

// enter presses Enter, which leads to another page, and waits until that has loaded.
func (p *tab) enter() {
	p.t.Helper()
	p.loading("Enter", func() { p.press("Enter") })
}

// focused returns the control that has the focus. Its role is "" if there is none.
func (p *tab) focused() control {
	p.t.Helper()
	got := call(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.activeElement"})
	if got.Result.ObjectID == "" {
		return control{p: p}
	}
	no := false
	tree := call(p, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: got.Result.ObjectID, FetchRelatives: &no})
	if len(tree.Nodes) == 0 || tree.Nodes[0].Ignored {
		return control{p: p}
	}
	n := tree.Nodes[0]
	return control{p, n.BackendDOMNodeID, axText(n.Role), axText(n.Name)}
}

// focusShown says whether one sees that the element has the focus, and sees the element.
const focusShown = `function() {
	const style = getComputedStyle(this), box = this.getBoundingClientRect();
	const marked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== "none";
	return marked && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
}`

// tabTo presses Tab until a control has the focus. Each control on the way must show that
// it has the focus.
func (p *tab) tabTo(role, name string) control {
	p.t.Helper()
	var passed []string
	for range 300 {
		p.press("Tab")
		c := p.focused()
		if c.role == "" || c.role == "RootWebArea" { // the end of the page
			continue
		}
		if shown, err := onElement[bool](c, focusShown); err != nil || !shown {
			p.t.Errorf("at %s nobody sees that %v has the focus: %v", p.where(), c, err)
		}
		if c.role == role && (c.name == name || strings.HasPrefix(c.name, name+" ")) {
			return c
		}
		passed = append(passed, c.String())
	}
	p.t.Fatalf("at %s Tab does not reach %s %q; it passes %.2000s", p.where(), role, name, passed)
	return control{}
}

// download clicks a control and returns the first file that the browser saves.
func (c control) download() (name string, content []byte) {
	c.p.t.Helper()
	c.click()
	if !c.p.wait(patience, func() bool {
		found, err := filepath.Glob(filepath.Join(c.p.dir, "*.txt")) // when it is whole
		if err == nil && len(found) == 1 {
			name = found[0]
		}
		return name != ""
	}) {
		c.p.t.Fatalf("%v saves no file", c)
	}
	content, err := os.ReadFile(name)
	must(c.p.t, err)
	return filepath.Base(name), content
}

var clipboard sync.Mutex // all tabs have the same

// copied clicks a control and returns what is on the clipboard then.
func (c control) copied() (text string) {
	p := c.p
	p.t.Helper()
	clipboard.Lock()
	defer clipboard.Unlock()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, Origin: p.origin, BrowserContextID: p.person(),
		})
		must(p.t, err)
	}
	const nothing = "nothing was copied"
	evaluate[any](p, "navigator.clipboard.writeText("+fmt.Sprintf("%q", nothing)+")")
	c.click()
	if !p.wait(patience, func() bool {
		text = evaluate[string](p, "navigator.clipboard.readText()")
		return text != nothing
	}) {
		p.t.Fatalf("%v copies nothing", c)
	}
	return text
}

package browser

import (
	"fmt"
	"testing"
	"time"
)

// A page that changes leaves what a person selects, presses and reads, and its days are
// those of the person.
func TestReadWhileChanging(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i := range 50 {
		s.write("claude-code", "planner", fmt.Sprintf("notes/%02d.md", i), "text")
	}
	zone := "Pacific/Kiritimati" // 14 h ahead
	if time.Now().UTC().Hour() < 10 {
		zone = "Pacific/Pago_Pago" // 11 h behind
	}
	p := open(t, s.origin, view{zone: zone})
	p.visit("/signin")
	p.fill("textbox", "API key", s.key)
	p.follow("button", "Sign in")
	p.visit("/a/planner/changes")
	place, err := time.LoadLocation(zone)
	must(t, err)
	p.see(time.Now().In(place).Format("Monday, January 2, 2006"))
	p.gone(time.Now().UTC().Format("Monday 2 January 2006"))

	const row = `[...document.querySelectorAll("#journal [data-item]")].find(r => /notes.10/.test(r.textContent))`
	at := func() float64 { return evaluate[float64](p, row+`.getBoundingClientRect().top`) }
	here := func(path string) bool {
		return evaluate[bool](p, fmt.Sprintf(`document.querySelector("#journal").textContent.includes(%q)`, path))
	}
	evaluate[any](p, row+`.scrollIntoView()`)
	before := at()
	s.write("codex", "planner", "notes/new-1.md", "text")
	p.wait(patience, func() bool { return here("new-1.md") })
	if after := at(); after < before-2 || after > before+2 {
		t.Errorf("what is read moved from %v to %v", before, after)
	}
	evaluate[any](p, `getSelection().selectAllChildren(`+row+`)`)
	s.write("codex", "planner", "notes/new-2.md", "text")
	time.Sleep(time.Second) // in which the page would change
	if got := evaluate[string](p, `getSelection().toString()`); got == "" || here("new-2.md") {
		t.Errorf("the selection is %q after a change", got)
	}
	evaluate[any](p, `getSelection().removeAllRanges()`)
	if !p.wait(patience, func() bool { return here("new-2.md") }) {
		t.Error("the page did not change after the selection ended")
	}
	p.press("t")
	p.see("GMT")
}

package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// hostileAgent is the agent whose memory is hostile.
const hostileAgent = "hostile-1"

// foul is the script that finds what no page of the console has, whatever agents wrote.
const foul = `(() => {
	const found = [];
	if ("hostile" in window) found.push("window.hostile");
	if (Object.prototype.hostile !== undefined) found.push("Object.prototype.hostile");
	if (document.title === "hostile" || !document.title.endsWith(" · Scratchpad")) found.push("the title " + document.title);
	if (document.querySelectorAll("main#main").length !== 1 || document.querySelectorAll("#main").length !== 1) found.push("another main");
	const known = [["script", "script[src^='/static/script.']"], ["link", "link[href^='/static/']"], ["style, iframe, frame, object, embed, base, img, image, video, audio, source, template, marquee, math, meta[http-equiv], .hostile, #hostile, [hostile], [style], [formaction], [srcdoc], [ping], [accesskey]", ""],
		["form", "form[action^='/'], form:not([action])"], ["form[action^='//'], form[action*=':']", ""], ["[href]", "a[href^='/'], a[href^='#'], a[href^='?'], a[href^='https://'], a[href^='http://'], link"], ["[href^='//']", ""], ["[href^='http']", "a[rel~=noopener]"]];
	for (const [all, fine] of known) for (const e of document.querySelectorAll(all)) if (!fine || !e.matches(fine)) found.push(e.cloneNode().outerHTML.slice(0, 200));
	for (const e of document.querySelectorAll("*")) for (const a of e.attributes) if (/^on/i.test(a.name)) found.push(e.cloneNode().outerHTML.slice(0, 200));
	return found.slice(0, 5);
})()`

// clean checks the page as it is now, after what a case is known by.
func (p *tab) clean(what string) {
	p.t.Helper()
	if found := evaluate[[]string](p, foul); len(found) > 0 {
		p.t.Errorf("%s: %s has %q", what, p.where(), found)
	}
	if got := p.sent(p.origin + "/hostile"); len(got) > 0 {
		p.t.Errorf("%s: %s sent %v", what, p.where(), got)
	}
}

// sees opens a page, and checks it and that it does not scroll sideways.
func (p *tab) sees(path, what string) {
	p.t.Helper()
	p.visit(path)
	p.clean(what)
	p.noOverflow()
}

// Whatever agents write, and wherever it is shown, it does nothing: no dialog, no request to
// elsewhere, no report of the Content Security Policy, no element that the console does not
// make. With SCRATCHPAD_TEST=full, every case has a page of its own everywhere.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	key := s.newKey("read,write,admin", "--name", `<b onclick=alert(1)>"Ada'`+strings.Repeat("W", 70))
	for _, place := range []struct {
		name string
		do   func(*testing.T, *server, *tab)
	}{
		{"Files", checkHostileFiles},
		{"Markdown", checkHostileMarkdown},
		{"Names", checkHostileNames},
		{"Log", checkHostileLog},
		{"Search", checkHostileSearch},
		{"Keys", checkHostileKeys},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			here := *s
			here.t = t
			place.do(t, &here, signIn(t, s.origin, key, view{width: 360, dark: true})) // where the most is too wide
		})
	}
}

// some returns every nth case, or all in the full form.
func some(cases []hostile.Case, n int) (few []hostile.Case) {
	n = testkit.Pick(n, n, 1)
	for i := 0; i < len(cases); i += n {
		few = append(few, cases[i])
	}
	return few
}

// batches returns texts that each hold some cases, with what they are known by.
func batches(cases []hostile.Case, bytes int) (all []hostile.Case) {
	for _, c := range cases {
		if n := len(all); n > 0 && len(all[n-1].Text)+len(c.Text) < testkit.Pick(bytes, bytes, 1) {
			all[n-1].Text += "\n\n" + c.Text
			continue
		}
		all = append(all, c)
	}
	for i := range all {
		all[i].Text = strings.ToValidUTF8(all[i].Text, "\ufffd") // no tool takes other texts
	}
	return all
}

// checkHostileFiles has the cases as the texts of files: source, editor, and comparisons.
func checkHostileFiles(t *testing.T, s *server, p *tab) {
	all := batches(hostile.Texts(), 60_000)
	for i, c := range all {
		path := "texts/" + c.Name + ".txt"
		s.write("before "+c.Name, hostileAgent, path, all[(i+1)%len(all)].Text)
		s.write("after "+c.Name, hostileAgent, path, c.Text)
		at := "/a/" + hostileAgent + "/files/" + path
		compare := []string{"?diff=1..2", "?diff=1..2&as=split&context=all"}[i%2]
		for _, query := range []string{"", "?view=edit", compare} {
			p.sees(at+query, c.Name)
		}
		p.visit("/a/" + hostileAgent + "/raw/" + path + "?v=2")
		if kind := evaluate[string](p, "document.contentType"); kind != "text/plain" {
			t.Errorf("%s: the raw text is %s", c.Name, kind)
		}
	}
}

// checkHostileMarkdown has the cases as Markdown that is rendered.
func checkHostileMarkdown(t *testing.T, s *server, p *tab) {
	var alone, others []hostile.Case
	for _, c := range hostile.Texts() {
		if strings.HasPrefix(c.Name, "md-") {
			alone = append(alone, c)
		} else {
			others = append(others, c)
		}
	}
	all := append(batches(alone, 1), batches(others, 8000)...)
	s.together(len(all), func(i int) error {
		return s.try("claude-code", "write_file", object{"agent_id": hostileAgent, "path": "md/" + all[i].Name + ".md", "content": all[i].Text})
	})
	for _, c := range all {
		p.sees("/a/"+hostileAgent+"/files/md/"+c.Name+".md", c.Name)
	}
}

// checkHostileNames has the cases as paths, and as the names of programs. Paths that nobody
// can store are in addresses only.
func checkHostileNames(t *testing.T, s *server, p *tab) {
	var valid, refused []hostile.Case
	for _, c := range hostile.Names() {
		if path, err := workspace.UnicodePaths.Parse(c.Text); err == nil && path.String() == c.Text {
			valid = append(valid, c)
		} else {
			refused = append(refused, c)
		}
	}
	for i, c := range hostile.Names() {
		author := strings.ToValidUTF8(c.Text, "\ufffd")
		s.write(author, hostileAgent, fmt.Sprintf("authors/%d.txt", i), author)
	}
	for _, c := range valid {
		s.write("claude-code", hostileAgent, c.Text, "text")
	}
	for _, path := range []string{"", "/changes", "/changes?prefix=authors/", "?after=md"} {
		p.sees("/a/"+hostileAgent+path, path)
	}
	for _, c := range some(valid, 8) {
		for _, view := range []string{"", "?view=move", "?view=delete", "?view=edit"} {
			p.sees("/a/"+hostileAgent+"/files/"+escapePath(c.Text)+view, c.Name)
		}
	}
	p.expect("status: 40")
	for _, c := range some(refused, 10) {
		for _, at := range []string{"files", "logs"} {
			p.visit("/a/" + hostileAgent + "/" + at + "/" + escapePath(c.Text))
			if kind := evaluate[string](p, "document.contentType"); kind == "text/html" && p.where() != "/" {
				p.clean(c.Name)
			}
		}
	}
	for _, c := range some(hostile.Names(), 24) {
		for _, query := range []string{"/?q=", "/?after=", "/signin?next=", "/a/" + hostileAgent + "/changes?prefix="} {
			p.visit(query + url.QueryEscape(c.Text))
			if evaluate[string](p, "document.contentType") == "text/html" {
				p.clean(c.Name)
			}
		}
	}
}

// escapePath escapes all but the slashes, as a link to the path has it.
func escapePath(path string) string {
	return strings.ReplaceAll(url.PathEscape(path), "%2F", "/")
}

// checkHostileLog has the cases as entries of a log, half of them live.
func checkHostileLog(t *testing.T, s *server, p *tab) {
	names, texts := hostile.Names(), hostile.Texts()
	add := func(i int) error {
		author := strings.ToValidUTF8(names[i%len(names)].Text, "\ufffd")
		return s.try(author, "append_log", object{"agent_id": "hostile-2", "path": "log", "entry": strings.ToValidUTF8(texts[i].Text, "\ufffd")})
	}
	half := len(texts) / 2
	s.together(half, add)
	p.visit("/a/hostile-2/logs/log")
	p.see("Live")
	s.together(len(texts)-half, func(i int) error { return add(half + i) })
	p.see(fmt.Sprintf("#%d", len(texts)))
	p.clean("live entries")
	p.noOverflow()
	for _, path := range []string{"/logs/log?before=150", "/logs/log?before=50", "", "/changes"} {
		p.sees("/a/hostile-2"+path, path)
	}
	for _, c := range some(names, 24) {
		p.visit("/a/hostile-2/logs/log?author=" + url.QueryEscape(c.Text) + "&q=" + url.QueryEscape(c.Text))
		p.clean(c.Name)
	}
}

// checkHostileSearch has the cases as what is looked for, and in what is found.
func checkHostileSearch(t *testing.T, s *server, p *tab) {
	for _, c := range batches(hostile.Texts(), 60_000) {
		s.write("claude-code", "hostile-3", c.Name+".txt", c.Text)
	}
	p.sees("/search?q=hostile", "hostile")
	p.expect("status: 400")
	cases := append(some(hostile.Names(), 12), some(hostile.Texts(), 16)...)
	for i, c := range cases {
		q, way := c.Text, []string{"", "exact", "regexp"}[i%3]
		for len(q) > 900 {
			_, size := utf8.DecodeLastRuneInString(q)
			q = q[:len(q)-size]
		}
		p.visit([]string{"/search", "/a/hostile-3/search"}[i%2] + "?as=" + way + "&q=" + url.QueryEscape(q))
		p.clean(c.Name)
	}
}

// checkHostileKeys has the cases as names of keys, and what is wrong in its form.
func checkHostileKeys(t *testing.T, s *server, p *tab) {
	made := 0
	for _, c := range some(hostile.Names(), 3) {
		if _, err := process.Try(t.Context(), program(t), "keys", "create", "--db", s.db, "--agents", "*", "--name", c.Text); err == nil {
			made++
		}
	}
	if made < 5 {
		t.Errorf("%d keys were made", made)
	}
	p.sees("/keys", "the names of keys")
	for _, link := range p.all("link", "Revoke") {
		if strings.Contains(link.name, "<img") {
			link.follow()
			p.clean(link.name)
			p.noOverflow()
			break
		}
	}
	p.expect("status: 400")
	p.visit("/keys")
	p.fill("textbox", "Name", `"><script>alert('hostile')</script>`)
	p.fill("textbox", "Agents", `"><img src=x onerror=alert('hostile')>`)
	p.follow("button", "Create key")
	p.clean("a form that is refused")
	p.noOverflow()
}

package doors

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A consoleDoor is a browser without scripts, in which somebody has signed in.
type consoleDoor struct {
	server string
	client http.Client
}

func (h *house) openConsole(name string, _ int) (door, workspace.Author) {
	h.t.Helper()
	id, key := h.newKey(name)
	jar, err := cookiejar.New(nil)
	must(h.t, err)
	d := &consoleDoor{h.url, http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	status, page, err := d.do(h.t.Context(), "POST", "/signin", url.Values{"key": {key}})
	if err != nil || status != http.StatusSeeOther {
		h.t.Fatalf("sign in: %d, %v\n%s", status, err, page)
	}
	return d, workspace.Author{Client: "scratchpad console", Key: id}
}

func (d *consoleDoor) do(ctx context.Context, method, address string, form url.Values) (status int, page string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, d.server+address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := d.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

// get returns a page that must be there.
func (d *consoleDoor) get(ctx context.Context, address string) (page string, err error) {
	status, page, err := d.do(ctx, "GET", address, nil)
	switch {
	case err == nil && status == http.StatusNotFound:
		return "", errGone
	case err == nil && status != http.StatusOK:
		return "", fmt.Errorf("%s is answered with %d:\n%s", address, status, page)
	}
	return page, err
}

// A form is one of a page, as a browser holds it.
type form struct {
	action string
	fields url.Values
	name   string // of the text field; "": there is none
	text   string // in it
}

var (
	actionOf = regexp.MustCompile(`action="([^"]+)"`)
	hiddenOf = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	textOf   = regexp.MustCompile(`(?s)<textarea id="content" name="([^"]+)"[^>]*>\n(.*?)</textarea>`)
)

// formOf returns the form of a page that has the button do.
func formOf(page, do string) (form, error) {
	for _, part := range strings.Split(page, "<form ")[1:] {
		part, _, _ = strings.Cut(part, "</form>")
		if !strings.Contains(part, `name="do" value="`+do+`"`) {
			continue
		}
		f := form{fields: url.Values{"do": {do}}}
		if action := actionOf.FindStringSubmatch(part); action != nil {
			f.action = html.UnescapeString(action[1])
		}
		for _, field := range hiddenOf.FindAllStringSubmatch(part, -1) {
			f.fields.Set(field[1], html.UnescapeString(field[2]))
		}
		if text := textOf.FindStringSubmatch(part); text != nil {
			f.name, f.text = text[1], html.UnescapeString(text[2])
		}
		return f, nil
	}
	return form{}, fmt.Errorf("there is no form to %s:\n%s", do, page)
}

// open returns a form of a page.
func (d *consoleDoor) open(ctx context.Context, address, do string) (form, error) {
	page, err := d.get(ctx, address)
	if err != nil {
		return form{}, err
	}
	return formOf(page, do)
}

// send sends a form with a text, as browsers do: each line ends in CRLF. done reports
// whether the change was made. If not, page is the answer.
func (d *consoleDoor) send(ctx context.Context, f form, text string) (page string, done bool, err error) {
	if f.name != "" {
		f.fields.Set(f.name, strings.ReplaceAll(text, "\n", "\r\n"))
	}
	status, page, err := d.do(ctx, "POST", f.action, f.fields)
	switch {
	case err != nil:
		return "", false, err
	case status == http.StatusSeeOther:
		return "", true, nil
	case status == http.StatusNotFound:
		return "", false, errGone
	case status != http.StatusConflict:
		return "", false, fmt.Errorf("%s is answered with %d:\n%s", f.action, status, page)
	}
	return page, false, nil
}

func fileAddress(path string) string { return "/a/" + agent + "/files/" + path }

// add types a line at the end of a file. If somebody else was faster, the page has the
// address of their text. The line goes to its end, and is saved again.
func (d *consoleDoor) add(ctx context.Context, path, line string) error {
	f, err := d.open(ctx, fileAddress(path)+"?view=edit", "save")
	if err != nil {
		return err
	}
	text := f.text
	for range maxTries {
		page, done, err := d.send(ctx, f, text+line)
		if err != nil || done {
			return err
		}
		if f, err = formOf(page, "save"); err != nil {
			return err
		}
		if f.fields.Get("version") == "0" { // it was away when the page was made
			return errGone
		}
		theirs := strings.Replace(f.action, "/files/", "/raw/", 1) + "?v=" + f.fields.Get("version")
		if text, err = d.get(ctx, theirs); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: others were faster %d times", path, maxTries)
}

func (d *consoleDoor) create(ctx context.Context, path, content string) error {
	f, err := d.open(ctx, "/a/"+agent+"/new", "create")
	if err != nil {
		return err
	}
	f.fields.Set("path", path)
	page, done, err := d.send(ctx, f, content)
	if err == nil && !done {
		err = fmt.Errorf("%s is there already:\n%s", path, page)
	}
	return err
}

func (d *consoleDoor) move(ctx context.Context, path, to string) error {
	f, err := d.open(ctx, fileAddress(path)+"?view=move", "move")
	for range maxTries {
		if err != nil {
			return err
		}
		f.fields.Set("to", to)
		page, done, err := d.send(ctx, f, "")
		if err != nil || done {
			return err
		}
		if f, err = formOf(page, "move"); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: others were faster %d times", path, maxTries)
}

func (d *consoleDoor) remove(ctx context.Context, path string) error {
	f, err := d.open(ctx, fileAddress(path)+"?view=delete", "delete")
	if err != nil {
		return err
	}
	page, done, err := d.send(ctx, f, "")
	if err == nil && !done {
		err = fmt.Errorf("%s was changed:\n%s", path, page)
	}
	return err
}

func (d *consoleDoor) read(ctx context.Context, path string) (string, error) {
	return d.get(ctx, strings.Replace(fileAddress(path), "/files/", "/raw/", 1))
}

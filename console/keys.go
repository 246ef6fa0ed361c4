package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	rowAgents = 4                // agents that a row of the list shows
	keysRoom  = 2 << 20          // bytes of memory for a page of keys
	keyTime   = 30 * time.Second // for a change of a key, which goes on if the browser leaves
)

// errSent is for a form about a key that was sent before.
var errSent = &problem{http.StatusConflict, "Sent before",
	"This form was sent before, so nothing was done now. The text of a key is shown once. Look into the list of " +
		"keys. If you have not copied the text, rotate the key."}

// errNoKey is the same for a key of another tenant and for one that does not exist.
var errNoKey = &problem{http.StatusNotFound, "Not found",
	"No key has this id. It may have been removed meanwhile. Load the list of keys again."}

// keysData is what the list of keys shows.
type keysData struct {
	Listed bool // the keys are here; they are not beside a form that was refused
	Rows   []keyRow
	Paged  bool   // this is not the first page
	Next   string // the address of the next page; "": there is none
	Form   keyForm
}

// A keyRow is a key in the list.
type keyRow struct {
	Key
	Agents []string // of the key, the first ones
	More   int      // so many others
}

// Title returns the name of the key, or its id if it has no name.
func (k Key) Title() string { return cmp.Or(k.Name, k.ID) }

// Ended reports whether the key is revoked.
func (k Key) Ended() bool { return !k.Revoked.IsZero() }

// mayManageKeys returns an error for a person who may not.
func (v *visit) mayManageKeys() error {
	switch v.Part = partKeys; {
	case !v.person.Admin:
		return errNoKeys
	case v.h.o.Keys == nil:
		return errNothingHere
	}
	return nil
}

// keys shows the keys, or the page where a person confirms a change of one.
func (v *visit) keys() error {
	if err := v.mayManageKeys(); err != nil {
		return err
	}
	if err := v.take(v.h.room, keysRoom); err != nil {
		return err
	}
	for _, do := range []string{"revoke", "rotate"} {
		if v.form.Has(do) {
			return v.confirm(do, v.form.Get(do), http.StatusOK, "")
		}
	}
	after := v.form.Get("after")
	list, err := v.h.o.Keys.List(v.r.Context(), v.person, after)
	if err != nil {
		return err
	}
	d := keysData{Listed: true, Paged: after != "", Form: newKeyForm(v, nil)}
	for _, k := range list.Keys {
		n := min(len(k.Agents), rowAgents)
		d.Rows = append(d.Rows, keyRow{k, k.Agents[:n], len(k.Agents) - n})
	}
	if list.Next != "" {
		d.Next = query("/keys", "after", list.Next)
	}
	return v.render("keys", "Keys", d)
}

// changeKeys takes the forms about keys.
func (v *visit) changeKeys() error {
	if err := v.mayManageKeys(); err != nil {
		return err
	}
	switch id := v.form.Get("id"); v.form.Get("do") {
	case "create":
		return v.createKey()
	case "rotate":
		return v.rotateKey(id)
	case "revoke":
		ctx, cancel := v.tillDone()
		defer cancel()
		if _, err := v.h.o.Keys.Revoke(ctx, v.person, id); err != nil {
			return noKey(err)
		}
		return v.see("/keys")
	}
	return errBadForm
}

// tillDone returns a context for a change. It goes on when the browser leaves, because
// half of a change helps nobody.
func (v *visit) tillDone() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(v.r.Context()), keyTime)
}

// noKey words the error for a key that is not there.
func noKey(err error) error {
	if errors.Is(err, workspace.ErrNotFound) {
		return errNoKey
	}
	return err
}

// createKey makes a key, and shows its text.
func (v *visit) createKey() error {
	f := newKeyForm(v, v.form)
	refuse := func(status int, why string) error {
		f.Problem = why
		return v.write(status, "keys", "New key", keysData{Form: f})
	}
	request, ok := f.request()
	if !ok {
		return errBadForm
	}
	return v.once(keyData{Do: "create", Title: "Key created"}, refuse, func(ctx context.Context) (Key, string, error) {
		return v.h.o.Keys.Create(ctx, v.person, request)
	})
}

// An overlap is for how long the old text of a key stays valid.
type overlap struct {
	Value, Title, Text string
	time               time.Duration
}

var overlaps = []overlap{
	{"24h", "works for 24 more hours", "Clients have a day to change to the new key.", 24 * time.Hour},
	{"1h", "works for 1 more hour", "For clients that you change now.", time.Hour},
	{"0", "ends at once", "For a key that somebody else may have seen. Clients are locked out until they have the " +
		"new one.", 0},
}

// rotateKey gives a key a new text, and shows it.
func (v *visit) rotateKey(id string) error {
	refuse := func(status int, why string) error { return v.confirm("rotate", id, status, why) }
	i := slices.IndexFunc(overlaps, func(o overlap) bool { return o.Value == v.form.Get("overlap") })
	if i < 0 {
		return errBadForm
	}
	d := keyData{Do: "rotate", Title: "Key rotated"}
	if overlaps[i].time > 0 {
		d.Overlap = overlaps[i].Title
	}
	return v.once(d, refuse, func(ctx context.Context) (Key, string, error) {
		return v.h.o.Keys.Rotate(ctx, v.person, id, overlaps[i].time)
	})
}

// keyData is what the pages about one key show.
type keyData struct {
	Do      string // "create", "rotate" or "revoke"
	Title   string
	Key     Key
	Secret  string // the text of the key, which is shown once; "": it was shown
	Configs []Config
	Overlap string // for how long the old text is valid; "": it is not

	Stamp    string // of the form
	Problem  string
	Overlaps []overlap
}

// once changes a key in answer to a form that must not count twice, and shows the text of
// the key. refuse shows the form again.
func (v *visit) once(d keyData, refuse func(status int, why string) error,
	change func(context.Context) (Key, string, error)) error {
	stamp := v.form.Get("stamp")
	if len(stamp) != len(rand.Text()) {
		return errBadForm
	}
	form := v.person.ID + "\x00" + stamp
	if !v.h.sent.add(form) {
		return errSent
	}
	ctx, cancel := v.tillDone()
	defer cancel()
	var err error
	if d.Key, d.Secret, err = change(ctx); err != nil {
		if errors.Is(err, workspace.ErrInvalid) || errors.Is(err, workspace.ErrQuota) ||
			errors.Is(err, workspace.ErrNotFound) {
			v.h.sent.forget(form) // nothing was changed
		}
		p := v.h.problemOf(v.r.Context(), err)
		return refuse(p.status, p.text)
	}
	agent, _ := (Person{Agents: d.Key.Agents}).only()
	d.Configs = v.configs(agent, d.Secret)
	return v.render("key-once", d.Title, d)
}

// confirm shows what a change of a key would do.
func (v *visit) confirm(do, id string, status int, problem string) error {
	k, err := v.h.o.Keys.Show(v.r.Context(), v.person, id)
	if err != nil {
		return noKey(err)
	}
	d := keyData{Do: do, Title: "Revoke a key", Key: k, Problem: problem}
	if do == "rotate" {
		d.Title, d.Overlaps, d.Stamp = "Rotate a key", overlaps, rand.Text()
	}
	return v.write(status, "key", d.Title, d)
}

package console

import (
	"context"
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
func (k Key) Title() string {
	if k.Name == "" {
		return k.ID
	}
	return k.Name
}

// Ended reports whether the key is revoked.
func (k Key) Ended() bool { return !k.Revoked.IsZero() }

// mayManageKeys returns an error for a person who may not.
func (v *visit) mayManageKeys() error {
	switch {
	case !v.person.Admin:
		return errNoKeys
	case v.h.o.Keys == nil:
		return errNothingHere
	}
	return nil
}

// keys shows the keys, or the page where a person confirms a change of one.
func (h *Handler) keys(v *visit) error {
	if err := v.mayManageKeys(); err != nil {
		return err
	}
	if err := v.take(h.room, keysRoom); err != nil {
		return err
	}
	q := v.r.URL.Query()
	switch {
	case q.Has("revoke"):
		return v.confirm("revoke", q.Get("revoke"), http.StatusOK, "")
	case q.Has("rotate"):
		return v.confirm("rotate", q.Get("rotate"), http.StatusOK, "")
	}
	list, err := h.o.Keys.List(v.r.Context(), v.person, q.Get("after"))
	if err != nil {
		return err
	}
	d := keysData{Listed: true, Paged: q.Get("after") != "", Form: newKeyForm(v, nil)}
	for _, k := range list.Keys {
		n := min(len(k.Agents), rowAgents)
		d.Rows = append(d.Rows, keyRow{k, k.Agents[:n], len(k.Agents) - n})
	}
	if list.Next != "" {
		d.Next = query("/keys", "after", list.Next)
	}
	return v.render("keys", "Keys", place{Part: partKeys}, d)
}

// changeKeys takes the forms about keys.
func (h *Handler) changeKeys(v *visit) error {
	if err := v.mayManageKeys(); err != nil {
		return err
	}
	size := 0
	for _, values := range v.form {
		for _, value := range values {
			size += len(value)
		}
	}
	if size > maxKeyForm {
		return workspace.Errorf(workspace.ErrTooLarge, "the form has over %d bytes", maxKeyForm)
	}
	switch id := v.form.Get("id"); v.form.Get("do") {
	case "create":
		return v.createKey()
	case "rotate":
		return v.rotateKey(id)
	case "revoke":
		ctx, cancel := v.tillDone()
		defer cancel()
		if _, err := h.o.Keys.Revoke(ctx, v.person, id); err != nil {
			return noKey(err)
		}
		return v.see("/keys")
	}
	return workspace.Errorf(workspace.ErrInvalid, "the form does not say what to do")
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
		return v.write(status, "keys", "New key", place{Part: partKeys}, keysData{Form: f})
	}
	request, ok := f.request()
	if !ok {
		return refuse(http.StatusBadRequest, "")
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
		return refuse(http.StatusBadRequest, "Choose when the old key ends.")
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
// the key. A browser that sends the form again sees that this was done, and no text.
// refuse shows the form again.
func (v *visit) once(d keyData, refuse func(status int, why string) error,
	change func(context.Context) (Key, string, error)) error {
	f, first, ok, err := v.h.sent.begin(v.r.Context(), v.person.ID, v.form.Get("stamp"), v.h.o.Now())
	switch {
	case err != nil:
		return err
	case !ok:
		return refuse(http.StatusConflict, "This page was open for over an hour, so nothing was changed. Look it "+
			"over and send it again.")
	case !first:
		return v.again(d, f.did)
	}
	if d.Key, d.Secret, err = v.change(f, change); err != nil {
		p := v.h.problemOf(v.r.Context(), err)
		return refuse(p.status, p.text)
	}
	if v.h.o.Config != nil {
		agent, _ := (Person{Agents: d.Key.Agents}).only()
		d.Configs = v.h.o.Config(v.r.Context(), agent, d.Secret)
	}
	return v.render("key-once", d.Title, place{Part: partKeys}, d)
}

// change changes a key, and remembers what a form did. If that is not certain, the form
// cannot be sent again.
func (v *visit) change(
	f *sentForm, change func(context.Context) (Key, string, error),
) (k Key, secret string, err error) {
	nothing := false
	defer func() { // also after a panic
		if nothing {
			v.h.sent.endNothing(f)
		} else {
			v.h.sent.end(f, k.ID)
		}
	}()
	ctx, cancel := v.tillDone()
	defer cancel()
	k, secret, err = change(ctx)
	nothing = errors.Is(err, workspace.ErrInvalid) || errors.Is(err, workspace.ErrQuota) ||
		errors.Is(err, workspace.ErrNotFound)
	return k, secret, err
}

// again says that a form was sent before.
func (v *visit) again(d keyData, id string) error {
	if id != "" {
		var err error
		if d.Key, err = v.h.o.Keys.Show(v.r.Context(), v.person, id); err != nil {
			return noKey(err)
		}
	}
	return v.render("key-once", d.Title, place{Part: partKeys}, d)
}

// confirm shows what a change of a key would do.
func (v *visit) confirm(do, id string, status int, problem string) error {
	k, err := v.h.o.Keys.Show(v.r.Context(), v.person, id)
	if err != nil {
		return noKey(err)
	}
	d := keyData{Do: do, Title: "Revoke a key", Key: k, Problem: problem}
	if do == "rotate" {
		d.Title, d.Overlaps, d.Stamp = "Rotate a key", overlaps, newStamp(v.h.o.Now())
	}
	return v.write(status, "key", d.Title, place{Part: partKeys}, d)
}

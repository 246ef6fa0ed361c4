package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	openSession   = 12 * time.Hour // of a person who needs no signing in
	maxCredential = 512            // bytes of a credential that is looked at
	maxSignIn     = 8 << 10        // bytes of the form
)

// signInData is what the page for signing in shows.
type signInData struct {
	Next    string // where the person wanted to go
	Problem string
	Plain   bool   // the connection is not encrypted, so that no browser would keep the cookie
	Link    string // as in Options
}

// toSignIn sends the browser to the page for signing in.
func (h *Handler) toSignIn(w http.ResponseWriter, r *http.Request) {
	if !wantsHTML(r) {
		h.failPlain(w, r, http.StatusUnauthorized, "sign in first")
		return
	}
	where := "/signin"
	if next := ownAddress(r.URL.RequestURI()); next != "/" {
		where = query(where, "next", next)
	}
	http.Redirect(w, r, where, http.StatusSeeOther)
}

// ownAddress returns an address of the console, or "/" for any other.
func ownAddress(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || u.Host != "" || strings.HasPrefix(u.Path, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") || len(next) > 2000 {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}

// signInPage shows the page for signing in. It also takes a token in the address, which a
// command has printed.
func (v *visit) signInPage() error {
	q := v.r.URL.Query()
	d := v.signInData(q.Get("next"))
	if p, err := v.h.o.People.Person(v.r.Context(), sessionOf(v.r)); err == nil && p.ID != "" {
		return v.see(d.Next)
	}
	if token := q.Get("token"); token != "" && d.Link != "" && v.r.Method == http.MethodGet {
		return v.exchange(token, d)
	}
	return v.render("signin", "Sign in", d)
}

// signIn takes the form of that page.
func (v *visit) signIn() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxSignIn)
	if err := v.r.ParseForm(); err != nil {
		v.h.failPlain(v.w, v.r, http.StatusBadRequest, "the form cannot be read")
		return nil
	}
	return v.exchange(strings.TrimSpace(v.r.PostForm.Get("key")), v.signInData(v.r.PostForm.Get("next")))
}

func (v *visit) signInData(next string) signInData {
	return signInData{Next: ownAddress(next), Plain: isOpen(v.r), Link: v.h.o.Link}
}

// exchange gives the browser a session for a credential.
func (v *visit) exchange(credential string, d signInData) error {
	if d.Plain {
		return v.write(http.StatusForbidden, "signin", "Sign in", d)
	}
	session, until, err := "", time.Time{}, ErrRefused
	if credential != "" && len(credential) <= maxCredential {
		session, until, err = v.h.o.People.SignIn(v.r.Context(), credential)
	}
	p := &problem{status: http.StatusForbidden, text: "This key is wrong, has expired or was revoked."}
	switch {
	case err == nil:
		http.SetCookie(v.w, newCookie(v.r, session, until))
		return v.see(d.Next)
	case !errors.Is(err, ErrRefused):
		p = v.h.problemOf(v.r.Context(), err)
	case d.Link != "":
		p.text = "This link was used before, or is not of this console."
	}
	d.Problem = p.text
	return v.write(p.status, "signin", "Sign in", d)
}

// signOut ends the session.
func (v *visit) signOut() error {
	if err := v.h.o.People.SignOut(v.r.Context(), v.session); err != nil {
		return err
	}
	gone := newCookie(v.r, "", time.Unix(0, 0))
	gone.MaxAge = -1
	http.SetCookie(v.w, gone)
	return v.see("/signin")
}

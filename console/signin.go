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
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		!strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(u.Path, "//") || strings.ContainsAny(next, "\\\r\n\t") || len(next) > 2000 {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}

// signInPage shows the page for signing in. It also takes a token in the address, which a
// command has printed.
func (h *Handler) signInPage(w http.ResponseWriter, r *http.Request) {
	v := &visit{h: h, w: w, r: r}
	d := h.signInData(r, r.URL.Query().Get("next"))
	if p, err := h.o.People.Person(r.Context(), sessionOf(r)); err == nil && p.ID != "" {
		http.Redirect(w, r, d.Next, http.StatusSeeOther)
		return
	}
	if token := r.URL.Query().Get("token"); token != "" && h.o.Link != "" && r.Method == http.MethodGet {
		h.exchange(v, token, d)
		return
	}
	_ = v.write(http.StatusOK, "signin", "Sign in", d)
}

// signIn takes the form of that page.
func (h *Handler) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		h.failPlain(w, r, http.StatusBadRequest, "the form cannot be read")
		return
	}
	d := h.signInData(r, r.PostForm.Get("next"))
	h.exchange(&visit{h: h, w: w, r: r}, strings.TrimSpace(r.PostForm.Get("key")), d)
}

func (h *Handler) signInData(r *http.Request, next string) signInData {
	return signInData{Next: ownAddress(next), Plain: isOpen(r), Link: h.o.Link}
}

// exchange gives the browser a session for a credential.
func (h *Handler) exchange(v *visit, credential string, d signInData) {
	if d.Plain {
		_ = v.write(http.StatusForbidden, "signin", "Sign in", d)
		return
	}
	session, until, err := "", time.Time{}, ErrRefused
	if credential != "" && len(credential) <= maxCredential {
		session, until, err = h.o.People.SignIn(v.r.Context(), credential)
	}
	var busy *Busy
	switch {
	case err == nil:
		http.SetCookie(v.w, newCookie(v.r, session, until))
		http.Redirect(v.w, v.r, d.Next, http.StatusSeeOther)
		return
	case errors.Is(err, ErrRefused) && h.o.Link != "":
		d.Problem = "This link was used before, or is not of this console."
	case errors.Is(err, ErrRefused):
		d.Problem = "This key is wrong, has expired or was revoked."
	case errors.As(err, &busy):
		d.Problem = sentence(busy.Error())
	default:
		d.Problem = h.problemOf(v.r.Context(), err).text
	}
	status := http.StatusForbidden
	if busy != nil {
		status = http.StatusTooManyRequests
	}
	_ = v.write(status, "signin", "Sign in", d)
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

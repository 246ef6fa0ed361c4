package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// policy lets a page load its own script and stylesheet, send forms to its own server, and
// nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// setHeaders sets the headers of every answer.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

const (
	cookieName = "scratchpad"
	maxSession = 128 // characters of a session that is looked at
)

// secure reports whether the browser has an encrypted connection. A proxy in front may
// have ended the encryption. The server passes the proxy's header on only if it trusts the
// proxy.
func secure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// onLoopback reports whether the browser names this machine.
func onLoopback(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// isOpen reports whether others on the network may read what a browser sends.
func isOpen(r *http.Request) bool { return !secure(r) && !onLoopback(r) }

// newCookie returns the cookie with a session. Browsers keep a cookie of the name __Host-
// only if the connection is encrypted, so on loopback without encryption it has a plain
// name, with the port: browsers send a cookie to all ports of a machine.
func newCookie(r *http.Request, session string, until time.Time) *http.Cookie {
	c := &http.Cookie{Name: "__Host-" + cookieName, Value: session, Path: "/", Expires: until, HttpOnly: true,
		Secure: true, SameSite: http.SameSiteStrictMode}
	if !secure(r) && onLoopback(r) {
		c.Name, c.Secure = cookieName, false
		if _, port, err := net.SplitHostPort(r.Host); err == nil {
			c.Name += "-" + port
		}
	}
	return c
}

// sessionOf returns the session of a request, or "".
func sessionOf(r *http.Request) string {
	c, err := r.Cookie(newCookie(r, "", time.Time{}).Name)
	if err != nil || len(c.Value) > maxSession {
		return ""
	}
	return c.Value
}

// formToken returns the token that the forms of a session carry. Whoever knows it does not
// know the session.
func formToken(session string) string {
	sum := sha256.Sum256([]byte("scratchpad form\x00" + session))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// isFormToken reports whether a form of a session carries its token. There is none without a
// session.
func isFormToken(session, token string) bool {
	return session != "" && subtle.ConstantTimeCompare([]byte(formToken(session)), []byte(token)) == 1
}

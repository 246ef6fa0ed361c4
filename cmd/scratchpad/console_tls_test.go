package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// pages is a browser without a window that finds a server by any name.
func (r *running) pages(t *testing.T) *http.Client {
	t.Helper()
	at, err := url.Parse(r.url)
	testkit.Must(t, err)
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the name is another one
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", at.Host)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Jar: jar}
}

// read returns the text of an answer.
func read(t *testing.T, res *http.Response, err error) string {
	t.Helper()
	testkit.Must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return string(text)
}

// The console works over the server's own TLS: signing in by a foreign name and by localhost,
// with a cookie for https alone, and with https in what a client is given.
func TestConsoleOverOwnTLS(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	db := filepath.Join(t.TempDir(), "team.db")
	id, key := newKey(t, db, "local", auth.Read|auth.Admin, "*")
	cert, private := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	certText, privateText := newCertificate(t)
	writeFile(t, cert, certText)
	writeFile(t, private, privateText)
	r := serve(t, "--tls-cert", cert, "--tls-key", private, "--db", db, "--host", "memory.example.com")
	for _, origin := range []string{"https://memory.example.com", "https://localhost:4321"} {
		web := r.pages(t)
		web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		res, err := web.PostForm(origin+"/signin", url.Values{"key": {key}})
		text := read(t, res, err)
		cookie := res.Header.Get("Set-Cookie")
		if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(cookie, "__Host-scratchpad=") || !strings.Contains(cookie, "; Secure") {
			t.Errorf("%s: signing in is %d with the cookie %.30q...\n%s", origin, res.StatusCode, cookie, text)
			continue
		}
		res, err = web.Get(origin + "/keys")
		form := read(t, res, err)
		token, stamp := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(form), regexp.MustCompile(`name="stamp" value="([^"]+)"`).FindStringSubmatch(form)
		if token == nil || stamp == nil {
			t.Fatalf("%s: the page of keys has no form:\n%s", origin, form)
		}
		res, err = web.PostForm(origin+"/keys", url.Values{"do": {"create"}, "name": {"laptop"}, "agents": {"*"}, "scopes": {"read"}, "lifetime": {"1d"}, "token": token[1:], "stamp": stamp[1:]})
		if made := read(t, res, err); !strings.Contains(made, origin+"/mcp") || strings.Contains(made, "http://") {
			t.Errorf("%s: the page of the new key has other addresses:\n%s", origin, made)
		}
	}
	r.stop(t)
	for _, line := range []string{`msg="a person has signed in" key=` + id, " scopes=read by=" + id} {
		if strings.Count(r.log.String(), line) != 2 {
			t.Errorf("the log does not have %s twice", line)
		}
	}
}

// Without TLS, the page for signing in by another name than localhost says that a key would
// travel in clear text. It has no field for a key, and takes none.
func TestConsoleInClearText(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	db := filepath.Join(t.TempDir(), "team.db")
	_, key := newKey(t, db, "local", auth.Read, "*")
	r := serve(t, "--db", db, "--host", "memory.example.com")
	web := r.pages(t)
	for origin, clear := range map[string]bool{"http://memory.example.com": true, "http://localhost:4321": false} {
		res, err := web.Get(origin + "/signin")
		if page := read(t, res, err); strings.Contains(page, "clear text") != clear || strings.Contains(page, `name="key"`) == clear {
			t.Errorf("%s: the page for signing in is\n%s", origin, page)
		}
	}
	res, err := web.PostForm("http://memory.example.com/signin", url.Values{"key": {key}})
	if page := read(t, res, err); res.StatusCode != http.StatusForbidden || !strings.Contains(page, "clear text") {
		t.Errorf("a key in clear text: %d\n%s", res.StatusCode, page)
	}
}

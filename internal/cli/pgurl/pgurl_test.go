package pgurl

import (
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"":                          "",
		"a.db":                      "a.db",
		"/home/a/postgres.db":       "/home/a/postgres.db",
		"postgres:/a":               "postgres:/a",
		"postgres://":               "postgres://",
		"postgres://h/db":           "postgres://h/db",
		"PostgreSQL://u:S@h/db":     "postgresql://u@h/db",
		"postgres://u:S@h:5433/db":  "postgres://u@h:5433/db",
		"postgres://u@h1:1,h2:2/db": "postgres://u@h1:1,h2:2/db",
		"postgres://:S@h1:1,[::1]:2/db?target_session_attrs=read-write": "postgres://h1:1,[::1]:2/db?target_session_attrs=read-write",
		"postgres://?service=prod&password=S":                           "postgres://?service=prod",
		"postgres:///db?host=/run/pg&password=S&user=u":                 "postgres:///db?host=/run/pg&user=u",
		"postgres://u:S@h/db?sslpassword=S&options=-cS":                 "postgres://u@h/db",
		"postgres://u:S/S@h/db":                                         "postgres://…",
		"postgres://u:S@S@h/db":                                         "postgres://…",
		"postgres://u:S?S@h/db":                                         "postgres://…",
		"postgres://u:S#S@h/db":                                         "postgres://…",
		"postgres://u:S#S":                                              "postgres://…",
		"postgres://u:S":                                                "postgres://…",
		"postgres://h1,h2:5,/db":                                        "postgres://h1,h2:5,/db",
		"postgres://h/db?PASSWORD=S":                                    "postgres://h/db",
	} {
		got := Short(name)
		if got != want {
			t.Errorf("Short(%q) = %q, want %q", name, got, want)
		}
		if Is(name) && (strings.Contains(got, "S") || HasSecret(name) != strings.Contains(name, "S") && !strings.Contains(name, "PASSWORD")) {
			t.Errorf("%q: shortened %q, has a secret: %v", name, got, HasSecret(name))
		}
		text := "open " + name + ": no"
		if hidden := Hide(text); Is(name) && hidden != "open "+strings.TrimRight(want, ":")+": no" && hidden != "open "+want+" no" {
			t.Errorf("Hide(%q) = %q", text, hidden)
		}
	}
}

// Whatever stands in a URL, nothing of what follows the first colon of its user is shown.
func FuzzShort(f *testing.F) {
	f.Add("u", "S", "h/db")
	f.Add("", "@/?#", "h")
	f.Fuzz(func(t *testing.T, user, secret, rest string) {
		if len(secret) < 4 || strings.ContainsAny(secret, "@/?#:&=") || strings.Contains(user+rest+"postgres://…", secret) || strings.ContainsAny(user, "@/?#:") {
			return
		}
		name := "postgres://" + user + ":" + secret + "@" + rest
		if got := Short(name); strings.Contains(got, secret) {
			t.Errorf("Short(%q) = %q", name, got)
		}
		if !HasSecret(name) {
			t.Errorf("HasSecret(%q) = false", name)
		}
	})
}

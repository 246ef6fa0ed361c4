package hostile_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestCases(t *testing.T) {
	short := regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	names, texts := map[string]bool{}, map[string]string{}
	for _, c := range hostile.All() {
		if !short.MatchString(c.Name) || names[c.Name] {
			t.Errorf("the name %q is bad or used twice", c.Name)
		}
		if other, twice := texts[c.Text]; twice || c.Text == "" {
			t.Errorf("%s: the text of %q", c.Name, other)
		}
		names[c.Name], texts[c.Text] = true, c.Name
	}
	if len(names) < 200 {
		t.Errorf("%d cases, want 200", len(names))
	}
	t.Logf("%d texts, %d names", len(hostile.Texts()), len(hostile.Names()))
}

// A request to elsewhere must be seen: no text names a real host.
func TestHosts(t *testing.T) {
	address := regexp.MustCompile(`(?i)(?:[a-z]+:|["'(= ])//+[^\s"'<>()]+|\bwww\.[^\s"'<>()]+`)
	reserved := regexp.MustCompile(`(?i)(^|[./@\\])(example\.com|[a-z]+\.invalid)$`)
	found := 0
	for _, c := range hostile.All() {
		for _, a := range address.FindAllString(c.Text, -1) {
			u, err := url.Parse("https://" + strings.TrimLeft(a[strings.Index(a, "//")+len("//"):], "/"))
			if strings.HasPrefix(a, "www.") {
				u, err = url.Parse("https://" + a)
			}
			if err != nil || u.Host == "" || u.Host == "etc" || a == "http://www.w3.org/2000/svg" {
				continue
			}
			found++
			if !reserved.MatchString(u.Hostname()) {
				t.Errorf("%s: %q names the host %q", c.Name, a, u.Host)
			}
		}
	}
	if found < 50 {
		t.Errorf("%d addresses found", found)
	}
}

// Some names can be stored and some are refused, so that both ways of a page are tried.
func TestNames(t *testing.T) {
	valid := 0
	for _, c := range hostile.Names() {
		if _, err := workspace.UnicodePaths.Parse(c.Text); err == nil {
			valid++
		}
	}
	if refused := len(hostile.Names()) - valid; valid < 20 || refused < 30 {
		t.Errorf("%d names are valid paths, %d are not", valid, refused)
	}
}

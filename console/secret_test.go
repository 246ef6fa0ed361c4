package console_test

import (
	"strings"
	"testing"
)

// The page of a file says which of its lines have a secret.
func TestFileWithSecret(t *testing.T) {
	svc, b := visited(t, newService(t))
	text := "a\nglpat-" + "x7Kq2mVb9TzR4wYc1NsD" + "\n"
	write(t, svc, "a", "f", text)
	write(t, svc, "a", "g", "a\n")
	const note = "Attention: line 2 has a secret (GitLab token). This removes it, also from older versions: scratchpad files redact f --agent a"
	if _, page := b.get("/a/a/files/f"); !strings.Contains(page, note) {
		t.Errorf("the page does not say %q:\n%s", note, page)
	}
	if _, page := b.get("/a/a/files/g"); strings.Contains(page, "Attention") {
		t.Errorf("a file without a secret has a note")
	}
}

package native

import "testing"

func TestQuote(t *testing.T) {
	for _, c := range []struct{ system, word, want string }{
		{"linux", "/usr/bin/scratchpad", "/usr/bin/scratchpad"},
		{"linux", "/my tools/it's", `'/my tools/it'\''s'`},
		{"linux", "", "''"},
		{"linux", "$(x)", "'$(x)'"},
		{"windows", `C:\tools\scratchpad.exe`, `C:\tools\scratchpad.exe`},
		{"windows", `C:\Program Files\s.exe`, `"C:\Program Files\s.exe"`},
	} {
		if got := quoteFor(c.system, c.word); got != c.want {
			t.Errorf("quoteFor(%s, %q) = %s, want %s", c.system, c.word, got, c.want)
		}
	}
}

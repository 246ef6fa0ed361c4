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

// QuoteSh is for sh on every system: between double quotes sh runs $(x).
func TestQuoteSh(t *testing.T) {
	for word, want := range map[string]string{"$(x)": "'$(x)'", "`x`": "'`x`'", "a b": "'a b'", "it's": `'it'\''s'`, "C:/tools/s.exe": "C:/tools/s.exe"} {
		if got := QuoteSh(word); got != want {
			t.Errorf("QuoteSh(%s) = %s, want %s", word, got, want)
		}
	}
}

package clientconfig

import (
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// TestEncodeTOML holds the encoding against that of a library, which is too large for
// the binary.
func TestEncodeTOML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.SampledFrom([]rune("ab '\"\\\x00\b\t\n\f\r\x1f\x7fé\u0085\ufffd\U0010ffff")), 0, 12, -1),
			rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "bytes")) }),
		)
		f := tomlField{"key", text.Draw(t, "text")}
		if rapid.Bool().Draw(t, "list") {
			f.value = anySlice(rapid.SliceOfN(text, 0, 3).Draw(t, "texts"))
		}
		want, err := toml.Marshal(map[string]any{f.key: f.value})
		if got := encodeTOML(f) + "\n"; got != string(want) || err != nil {
			t.Fatalf("encodeTOML(%q) = %q, want %q, %v", f.value, got, want, err)
		}
	})
}

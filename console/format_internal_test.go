package console

import (
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		1_234_567: "1.2 MB", 5_000_000_000: "5.0 GB", 1 << 62: "4611686 TB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n          int64
		noun, want string
	}{{0, "file", "0 files"}, {1, "entry", "1 entry"}, {1234, "entry", "1,234 entries"}, {-1234567, "line", "-1,234,567 lines"}} {
		if got := plural(c.n, c.noun); got != c.want {
			t.Errorf("plural(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.FixedZone("", 3600))
	if got, want := formatTime(at), `<time datetime="2026-03-04T04:06:07.008Z" title="2026-03-04 04:06:07 UTC">2026-03-04 04:06</time>`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := formatTime(time.Time{}); got != `<span class="muted">never</span>` {
		t.Errorf("the zero time is %s", got)
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		used, limit int64
		want        string
	}{
		{5, 0, ""},
		{84, 100, `<svg class="bar" role="img" aria-label="84 % of &lt;all&gt;"><rect width="84%" height="100%"/></svg>`},
		{85, 100, `<svg class="bar warn" role="img" aria-label="85 % of &lt;all&gt;"><rect width="85%" height="100%"/></svg>`},
		{999, 100, `<svg class="bar bad" role="img" aria-label="100 % of &lt;all&gt;"><rect width="100%" height="100%"/></svg>`},
	} {
		if got := bar(c.used, c.limit, "of <all>"); string(got) != c.want {
			t.Errorf("bar(%d, %d) = %s, want %s", c.used, c.limit, got, c.want)
		}
	}
}

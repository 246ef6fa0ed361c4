package console

import (
	"testing"
)

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

package console

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Other bytes have another address. Browsers may keep them.
func TestAssets(t *testing.T) {
	addresses := map[string]bool{}
	for _, style := range []string{"a {}", "b {}"} {
		all, err := readAssets(fstest.MapFS{"static/style.css": {Data: []byte(style)}, "static/script.js": {}, "static/icon.svg": {}})
		testkit.Must(t, err)
		mux := http.NewServeMux()
		mux.Handle("GET /static/{name}", all)
		address := all.url("style.css")
		addresses[address] = true
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Body.String() != style || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %s %v", address, w.Body, w.Header())
		}
	}
	if len(addresses) != 2 {
		t.Errorf("two stylesheets have the addresses %v", addresses)
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
